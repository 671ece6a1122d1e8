#include "learn/units/marginal_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "learn/mixture/pooled.hpp"
#include "learn/units/marginal_information.hpp"
#include "unit/learn/units/panel.hpp"

namespace otss::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A panel, the pooled fit to it, and a fit with deviations.
struct PanelFit {
  LoggedData log;
  Problem problem;
  UnitIndex index;
  PooledFit pooled;
  PopulationPrior prior;
  MarginalFit fit;

  PanelFit(const PanelOptions& options, const MatrixXd& basis, int threads = 1)
      : log(Panel(options, basis).log()),
        problem(whole_problem(log, options.family)),
        index(log.units()),
        pooled(fit_pooled(problem, 1)),
        prior(prior_at(problem, pooled.penalty, pooled.fit.layout, pooled.fit.theta, 1)),
        fit(fit_marginal(problem, index, prior,
                         {pooled.fit.layout, pooled.fit.theta,
                          first_spread(DeviationForm::kFull, options.factors, 1)},
                         {}, {threads})) {}
};

// The logarithm of the density of all outcomes, which are normal, by its definition.
double gaussian_log_likelihood(const PanelFit& panel, const Population& population) {
  const Problem& problem = panel.problem;
  const int num_factors = problem.num_factors();
  double sum = 0;
  for (std::size_t unit = 0; unit < panel.index.size(); ++unit) {
    const auto rows = panel.index.rows(unit);
    const auto count = static_cast<Eigen::Index>(rows.size());
    MatrixXd z = MatrixXd::Ones(count, 1 + num_factors);
    VectorXd residuals(count);
    for (Eigen::Index r = 0; r < count; ++r) {
      double eta = population.theta[population.layout.baseline() + problem.num_contexts] +
                   population.theta[population.layout.expert(0) + num_factors];
      for (int j = 0; j < problem.num_contexts; ++j)
        eta +=
            population.theta[population.layout.baseline() + j] * problem.features->at(rows[r], j);
      for (int j = 0; j < num_factors; ++j) {
        z(r, 1 + j) = problem.features->at(rows[r], problem.num_contexts + j);
        eta += population.theta[population.layout.expert(0) + j] * z(r, 1 + j);
      }
      residuals[r] = problem.outcome(rows[r]) - eta;
    }
    const MatrixXd covariance = population.noise_variance * MatrixXd::Identity(count, count) +
                                z * population.spread.covariance() * z.transpose();
    const Eigen::LLT<MatrixXd> factor(covariance);
    sum -= 0.5 * residuals.dot(factor.solve(residuals)) +
           factor.matrixL().toDenseMatrix().diagonal().array().log().sum();
  }
  return sum;
}

MatrixXd two_factor_basis() {
  MatrixXd basis(3, 3);
  basis << 0.7, 0, 0, 0.3, 0.6, 0, -0.2, 0.4, 0.5;
  return basis;
}

TEST(MarginalFit, OfGaussianOutcomesMaximisesTheClosedFormLikelihood) {
  const PanelFit panel({.family = OutputFamily::kGaussian, .units = 300, .rows = 6, .noise = 0.8},
                       two_factor_basis());
  const MarginalFit& fit = panel.fit;
  EXPECT_TRUE(fit.settled);
  const double best = gaussian_log_likelihood(panel, fit.population);
  EXPECT_NEAR(fit.log_evidence, best, 1e-3);
  // The objective has priors too, whose slopes are small: a likelihood that is higher by more than
  // a tenth of a nat would be a wrong step.
  for (const double factor : {0.97, 1.03}) {
    Population moved = fit.population;
    moved.spread.basis *= factor;
    EXPECT_LT(gaussian_log_likelihood(panel, moved), best + 0.1);
    moved = fit.population;
    moved.noise_variance *= factor;
    EXPECT_LT(gaussian_log_likelihood(panel, moved), best + 0.1);
    for (double& entry : (moved = fit.population).theta) entry *= factor;
    EXPECT_LT(gaussian_log_likelihood(panel, moved), best + 0.1);
  }
  EXPECT_NEAR(std::sqrt(fit.population.noise_variance), 0.8, 0.04);
}

TEST(MarginalFit, RecoversTheCovarianceOfBinaryOutcomes) {
  // 1,500 units of 10 rows. The standard error of a variance of 0.5 is about 0.06.
  const MatrixXd truth = two_factor_basis() * two_factor_basis().transpose();
  const PanelFit panel({.units = 1500, .rows = 10, .seed = 2}, two_factor_basis());
  EXPECT_LT((panel.fit.population.spread.covariance() - truth).norm(), 0.25 * truth.norm());
}

TEST(MarginalFit, RecoversTheCovarianceOfCounts) {
  const MatrixXd basis = 0.5 * two_factor_basis();
  const MatrixXd truth = basis * basis.transpose();
  const PanelFit panel({.family = OutputFamily::kPoisson, .units = 800, .rows = 8, .seed = 3},
                       basis);
  EXPECT_LT((panel.fit.population.spread.covariance() - truth).norm(), 0.25 * truth.norm());
}

TEST(MarginalFit, DoesNotAttenuateThePopulationsWeights) {
  // Deviations of variance 1 make the pooled weights about 15 % too small.
  const PanelFit panel({.units = 1500, .rows = 10, .seed = 4}, MatrixXd::Identity(3, 3));
  const auto ratio = [&](const std::vector<double>& theta) {
    double sum = 0;
    for (int j = 0; j < 2; ++j)
      sum += 0.5 * theta[panel.pooled.fit.layout.expert(0) + j] / Panel::weight(j);
    return sum;
  };
  EXPECT_LT(ratio(panel.pooled.fit.theta), 0.88);
  EXPECT_NEAR(ratio(panel.fit.population.theta), 1, 0.08);
}

TEST(MarginalFit, FindsNoSpreadWhereUnitsDoNotDiffer) {
  // The standard error of each of the three variances is about 0.03.
  const PanelFit panel({.units = 500, .rows = 10, .seed = 5}, MatrixXd::Zero(3, 1));
  EXPECT_LT(panel.fit.population.spread.covariance().trace(), 0.15);
}

TEST(MarginalFit, GivesTheSameBitsForAnyNumberOfThreads) {
  const PanelOptions options{.units = 200, .rows = 6, .seed = 6};
  const PanelFit one(options, two_factor_basis(), 1);
  for (const int threads : {2, 7}) {
    const PanelFit many(options, two_factor_basis(), threads);
    EXPECT_EQ(one.fit.population.theta, many.fit.population.theta);
    EXPECT_EQ(one.fit.population.spread.basis, many.fit.population.spread.basis);
  }
}

TEST(MarginalFit, StaysAtAnAverageThatIsNoMinimumIfThereAreNoDeviations) {
  PanelFit panel({.units = 100, .rows = 5, .seed = 7}, two_factor_basis());
  std::vector<double> theta = panel.pooled.fit.theta;
  for (double& entry : theta) entry += 0.1;  // as an average of several fits might be
  const PopulationPrior prior =
      prior_at(panel.problem, panel.pooled.penalty, panel.pooled.fit.layout, theta, 1);
  const Population start{panel.pooled.fit.layout, theta, first_spread(DeviationForm::kNone, 2, 0)};
  const MarginalFit fit = fit_marginal(panel.problem, panel.index, prior, start, {}, {});
  for (std::size_t i = 0; i < theta.size(); ++i)
    EXPECT_NEAR(fit.population.theta[i], theta[i], 1e-4);
}

TEST(MarginalInformation, OfGaussianOutcomesIsTheCurvatureOfTheLikelihood) {
  const PanelFit panel({.family = OutputFamily::kGaussian, .units = 60, .rows = 5},
                       two_factor_basis());
  const MatrixXd information =
      marginal_information(panel.problem, panel.index, panel.fit.population, panel.fit.sites, 1, 1);
  const auto at = [&](std::size_t i, double a, std::size_t j, double b) {
    Population moved = panel.fit.population;
    moved.theta[i] += a;
    moved.theta[j] += b;
    return gaussian_log_likelihood(panel, moved);
  };
  constexpr double kStep = 1e-3;
  for (std::size_t i = 0; i < panel.fit.population.theta.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double curvature = (at(i, kStep, j, -kStep) + at(i, -kStep, j, kStep) -
                                at(i, kStep, j, kStep) - at(i, -kStep, j, -kStep)) /
                               (4 * kStep * kStep);
      EXPECT_NEAR(information(i, j), curvature, 1e-3 * information.norm());
    }
  }
}

TEST(MarginalInformation, OfEveryFourthUnitIsCloseToThatOfAll) {
  const PanelFit panel({.units = 800, .rows = 6}, two_factor_basis());
  const auto information = [&](std::size_t every) {
    return marginal_information(panel.problem, panel.index, panel.fit.population, panel.fit.sites,
                                every, 1);
  };
  const MatrixXd all = information(1);
  const double difference = (information(4) - all).norm() / all.norm();
  EXPECT_GT(difference, 0);
  EXPECT_LT(difference, 0.1);
}

TEST(WithSpread, HardlyChangesTheMeanOutcomes) {
  const PanelFit panel({.units = 100, .rows = 5}, two_factor_basis());
  const Population& before = panel.fit.population;
  const auto losses = [&](const Population& population) {
    const auto etas = linear_predictors_of(panel.problem, population, 1);
    return new_unit_losses(panel.problem, panel.index, population, etas);
  };
  const std::vector<double> expected = losses(before);
  Spread wider = before.spread;
  wider.basis *= 2;
  const std::vector<double> found = losses(with_spread(before, wider, OutputFamily::kBernoulli));
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(std::exp(-found[i]), std::exp(-expected[i]), 0.05);
}

TEST(MarginalInformation, IgnoresUnitsWithoutRowsThatCount) {
  // Eigen divides by the number of rows when it multiplies matrices as large as these.
  const PanelFit panel({.units = 20, .rows = 5}, two_factor_basis());
  const MixtureLayout layout = panel.problem.layout(16);
  ASSERT_GE(layout.size(), 48u);
  const Population population{layout, std::vector<double>(layout.size(), 0.1),
                              panel.fit.population.spread};
  std::vector<Site> sites = panel.fit.sites;
  for (const std::size_t row : panel.index.rows(3)) sites[row] = {};
  EXPECT_TRUE(
      marginal_information(panel.problem, panel.index, population, sites, 1, 1).allFinite());
}

}  // namespace
}  // namespace otss::test
