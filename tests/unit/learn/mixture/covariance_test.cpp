#include "learn/mixture/covariance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "engine/linear_predictors.hpp"
#include "learn/mixture/mixture_objective.hpp"
#include "unit/learn/gradient_check.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

using Eigen::MatrixXd;

std::vector<std::uint32_t> own_groups(std::size_t count) {
  std::vector<std::uint32_t> groups(count);
  for (std::size_t i = 0; i < count; ++i) groups[i] = static_cast<std::uint32_t>(i);
  return groups;
}

TEST(FitCovariance, OfOneBinaryFactorIsTheTwoByTwoTable) {
  // Without contexts a log odds ratio has variance 1/a + 1/b + 1/c + 1/d (Woolf 1955), and a factor
  // of ±1 half of the log odds ratio as its weight.
  const std::vector<std::pair<int, int>> counts{{30, 70},
                                                {80, 40}};  // outcomes 1 and 0 at z = -1, +1
  std::vector<Row> rows;
  for (int level = 0; level < 2; ++level) {
    const double z = level == 0 ? -1 : 1;
    for (int i = 0; i < counts[level].first; ++i) rows.push_back({{}, {z}, true});
    for (int i = 0; i < counts[level].second; ++i) rows.push_back({{}, {z}, false});
  }
  const Problem problem = problem_of(rows);
  const MixtureLayout layout = problem.layout(1);
  const double low = std::log(30.0 / 70), high = std::log(80.0 / 40);
  std::vector<double> theta(layout.size(), 0.0);
  theta[layout.baseline()] = (low + high) / 2;
  theta[layout.expert(0)] = (high - low) / 2;
  const Penalty weak{.expert = 1, .center = 1e-9, .baseline = 1e-9};
  const FitCovariance covariance = fit_covariance(problem, weak, layout, theta, {}, 1);
  const double variance = (1.0 / 30 + 1.0 / 70 + 1.0 / 80 + 1.0 / 40) / 4;
  const auto weight = static_cast<Eigen::Index>(layout.expert(0));
  EXPECT_NEAR(covariance.matrix(weight, weight), variance, 1e-6 * variance);
}

TEST(FitCovariance, InvertsTheHessianOfThePenalisedLoss) {
  const Problem problem = problem_of(two_trade_offs(400, 1, 3));
  const MixtureLayout layout = problem.layout(1);
  const Penalty penalty{.expert = 2, .center = 3, .baseline = 4};
  const std::vector<double> theta = random_theta(layout, 4);
  const auto engine = make_engine(problem, 1, 1);
  MixtureObjective objective(*engine, penalty, Precision::kDouble);
  MatrixXd hessian(layout.size(), layout.size());
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const auto slopes = finite_differences(
        [&](const std::vector<double>& at) {
          std::vector<double> gradient(layout.size());
          objective.evaluate(at, gradient);
          return gradient[i] * problem.rows.total();
        },
        theta);
    for (std::size_t j = 0; j < slopes.size(); ++j) hessian(i, j) = slopes[j];
  }
  const MatrixXd product = hessian * fit_covariance(problem, penalty, layout, theta, {}, 1).matrix;
  const MatrixXd identity = MatrixXd::Identity(hessian.rows(), hessian.cols());
  EXPECT_LT((product - identity).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(FitCovariance, CopiesOfARowInItsGroupTellNothingNew) {
  const std::vector<Row> rows = two_trade_offs(300, 1, 5);
  std::vector<Row> twice = rows;
  twice.insert(twice.end(), rows.begin(), rows.end());
  std::vector<std::uint32_t> groups = own_groups(rows.size());
  groups.insert(groups.end(), groups.begin(), groups.begin() + static_cast<long>(rows.size()));
  const Problem once = problem_of(rows), copied = problem_of(twice);
  const MixtureLayout layout = once.layout(2);
  const std::vector<double> theta = random_theta(layout, 6);
  // The penalty is so weak that its bias does not matter.
  const Penalty penalty{
      .gate = 1e-6, .gate_intercept = 1e-6, .expert = 1e-6, .center = 1e-6, .baseline = 1e-6},
      doubled{
          .gate = 2e-6, .gate_intercept = 2e-6, .expert = 2e-6, .center = 2e-6, .baseline = 2e-6};
  // Only the penalty tells the intercept of the baseline from those of the experts.
  const auto without_intercepts = [&](const FitCovariance& covariance) {
    MatrixXd matrix = covariance.matrix;
    for (const std::size_t at :
         {layout.baseline() + layout.num_contexts, layout.expert(0) + layout.num_factors,
          layout.expert(1) + layout.num_factors}) {
      matrix.row(static_cast<Eigen::Index>(at)).setZero();
      matrix.col(static_cast<Eigen::Index>(at)).setZero();
    }
    return matrix;
  };
  const MatrixXd a =
      without_intercepts(fit_covariance(once, penalty, layout, theta, own_groups(rows.size()), 1));
  const MatrixXd b = without_intercepts(fit_covariance(copied, doubled, layout, theta, groups, 1));
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-2 * a.cwiseAbs().maxCoeff());
  const MatrixXd as_if_new = without_intercepts(
      fit_covariance(copied, doubled, layout, theta, own_groups(twice.size()), 1));
  EXPECT_NEAR(as_if_new.trace() / b.trace(), 0.5, 0.01);
}

TEST(FitCovariance, OfIndependentGroupsHasTheBiasOfThePenalty) {
  // Outcomes are drawn at theta, so that the outer products of the rows estimate the information.
  std::vector<Row> rows = two_trade_offs(4000, 1, 5);
  Problem problem = problem_of(rows);
  const MixtureLayout layout = problem.layout(2);
  const std::vector<double> theta = random_theta(layout, 6);
  std::vector<double> eta(rows.size());
  linear_predictors(*problem.features, layout, theta, 1, eta);
  Rng rng(8);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].outcome = rng.uniform() < logistic(eta[i]);
  problem = problem_of(rows);
  // The penalty is as strong as the log. A sandwich without its bias would have half the trace.
  const Penalty strong{
      .gate = 400, .gate_intercept = 400, .expert = 400, .center = 400, .baseline = 400};
  const MatrixXd alone = fit_covariance(problem, strong, layout, theta, {}, 1).matrix;
  const MatrixXd clustered =
      fit_covariance(problem, strong, layout, theta, own_groups(rows.size()), 1).matrix;
  EXPECT_NEAR(clustered.trace() / alone.trace(), 1, 0.05);
}

TEST(FitCovariance, SaysWhereExpertsCannotBeToldApart) {
  const auto ratio_at = [](double difference) {
    const Problem problem = problem_of(two_trade_offs(500, 1, 7));
    const MixtureLayout layout = problem.layout(2);
    std::vector<double> theta(layout.size(), 0.0);
    theta[layout.gate(0)] = 1;
    theta[layout.expert(0)] = difference;
    theta[layout.expert(1) + 1] = difference;
    return fit_covariance(problem, {}, layout, theta, {}, 1).information_ratio;
  };
  EXPECT_GT(ratio_at(1), 1e-3);
  // Experts that agree leave the gate without effect.
  EXPECT_LT(ratio_at(0), 1e-9);
}

// All levels of a text column sum to a constant, so the gate has a direction without effect.
TEST(FitCovariance, DoesNotBlameTheLogForTheLevelsOfATextColumn) {
  auto rows = two_trade_offs(500, 1, 7);
  for (auto& row : rows) {
    const bool north = row.x[1] > 0;
    row.x.push_back(north ? 1 : -1);
    row.x.push_back(north ? -1 : 1);
  }
  const Problem problem = problem_of(rows);
  const MixtureLayout layout = problem.layout(2);
  std::vector<double> theta(layout.size(), 0.0);
  theta[layout.gate(0)] = 1;
  theta[layout.expert(0)] = 1;
  theta[layout.expert(1) + 1] = 1;
  EXPECT_GT(fit_covariance(problem, {}, layout, theta, {}, 1).information_ratio, 1e-4);
}

TEST(Dispersion, OfNumbersIsTheirNoise) {
  Rng rng(8);
  const std::size_t count = 4000;
  auto features = std::make_shared<TileMatrix>(count, 1);
  std::vector<float> outcomes;
  for (std::size_t i = 0; i < count; ++i) {
    features->at(i, 0) = static_cast<float>(rng.normal());
    outcomes.push_back(static_cast<float>(2 * features->at(i, 0) + 3 * rng.normal()));
  }
  const std::vector<float> ones(count, 1.0F);
  const Problem problem{features, 0, SignedWeights(ones),
                        Outcomes(OutputFamily::kGaussian, outcomes)};
  std::vector<double> theta(problem.layout(1).size(), 0.0);
  theta[problem.layout(1).expert(0)] = 2;
  // Standard error of a variance: 9 sqrt(2 / n).
  EXPECT_NEAR(dispersion(problem, problem.layout(1), theta, 1), 9, 4 * 9 * std::sqrt(2.0 / count));
}

TEST(Dispersion, OfYesAndNoFollowsFromTheirMean) {
  const Problem problem = problem_of(two_trade_offs(100, 1, 9));
  const std::vector<double> theta(problem.layout(2).size(), 0.0);
  EXPECT_EQ(dispersion(problem, problem.layout(2), theta, 1), 1);
}

}  // namespace
}  // namespace otss::test
