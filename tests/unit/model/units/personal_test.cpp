#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/normal_law.hpp"
#include "model/averaged_predictor.hpp"
#include "model/predictor.hpp"
#include "model/units/packed_cholesky.hpp"
#include "model/units/state_parts.hpp"
#include "otss/model/uncertainty.hpp"
#include "otss/model/unit_states.hpp"
#include "unit/model/units/unit_fixture.hpp"

namespace otss {
namespace {

using namespace internal;
using Eigen::MatrixXd;
using testing::ElementsAreArray;

// The average of `value` over N(eta, variance), by a fine sum.
template <class Value>
double average(double eta, double variance, const Value& value) {
  double sum = 0, total = 0;
  for (double t = -10; t <= 10; t += 1e-3) {
    const double density = std::exp(-t * t / 2);
    sum += density * value(eta + std::sqrt(variance) * t);
    total += density;
  }
  return sum / total;
}

TEST(AveragedPredictor, HasTheMeanOutcomeAveragedOverTheNormalDistribution) {
  for (const OutputFamily family :
       {OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    for (const double eta : {-3.0, 0.0, 0.7, 6.0}) {
      for (const double variance : {0.0, 0.01, 1.0, 20.0}) {
        if (family == OutputFamily::kPoisson && variance > 1) continue;
        const double expected = average(eta, variance, [&](double t) { return family.mean(t); });
        EXPECT_NEAR(family.mean(averaged_predictor(family, eta, variance)), expected,
                    1e-6 * (1 + std::abs(expected)))
            << word(family) << ' ' << eta << ' ' << variance;
      }
    }
  }
  EXPECT_NEAR(averaged_predictor(OutputFamily::kBernoulli, -1000, 4), -1000, 10);
}

// The effects of the experts on the linear predictor of a decision whose factors equal their centres.
ExpertEffects effects_at_centers(const Fitted& fitted, std::span<const double> x) {
  return expert_effects(*fitted.mixture(), fitted.baseline(), false, x,
                        std::vector<double>(fitted.num_factors(), 0.0));
}

class PersonalTest : public HistoryTest {
 protected:
  UnitStates learn(const Fitted& fitted, int rows) {
    return update_units(UnitStates(fitted),
                        {.path = write_history("history.csv", fitted, 3, 1, rows)},
                        {.unit = "who", .time = "t"});
  }
};

// The matrices of one belief, for standardised factors: Σ, the unit's posterior covariance, and A,
// which maps an error of the population to an error of the unit.
struct Matrices {
  MatrixXd prior, posterior, carried;

  Matrices(const UnitStates& states, std::size_t unit) {
    const DeviationBasis& basis = states.parts().model->basis();
    const int size = basis.size(), rank = basis.rank();
    MatrixXd root(size, rank), precision = MatrixXd::Zero(rank, rank);
    for (int i = 0; i < size; ++i) {
      for (int a = 0; a < rank; ++a) root(i, a) = basis.row(i)[a];
    }
    MatrixXd factor = MatrixXd::Zero(rank, rank);
    for (int i = 0; i < rank; ++i) {
      for (int j = 0; j <= i; ++j) factor(i, j) = states.parts().factor(unit)[packed_size(i) + j];
    }
    precision = factor * factor.transpose();
    prior = root * root.transpose();
    posterior = root * precision.inverse() * root.transpose();
    carried = posterior * prior.inverse();
  }
};

TEST_F(PersonalTest, ErrorsHaveTheTotalVariance) {
  const Fitted fitted(unit_model(3));
  const UnitStates states = learn(fitted, 12);
  const UnitBelief belief = states.belief(1);
  const std::vector<double> x{0.4};
  // The covariance of the population's error of (b, w), standardised.
  const std::size_t draws = fitted.uncertainty().num_draws();
  std::vector<double> population(draws * 4);
  fitted.uncertainty().joint_departures(x, effects_at_centers(fitted, x), population);
  MatrixXd error(draws, 4);
  for (std::size_t d = 0; d < draws; ++d) {
    for (int j = 0; j < 4; ++j)
      error(d, j) = population[d * 4 + j] * (j == 0 ? 1 : fitted.encoder().factors[j - 1].scale);
  }
  const MatrixXd of_population = error.transpose() * error / static_cast<double>(draws);
  EXPECT_GT(of_population(0, 0), 0) << "the error of the baseline counts";
  const Matrices unit(states, 1);
  const MatrixXd expected =
      unit.carried * of_population * unit.carried.transpose() + unit.posterior;
  const std::vector<double> departures = fitted.departures(x, &belief);
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) {
      double covariance = 0;
      for (std::size_t d = 0; d < draws; ++d)
        covariance += departures[d * 3 + j] * departures[d * 3 + k] / static_cast<double>(draws);
      covariance *= fitted.encoder().factors[j].scale * fitted.encoder().factors[k].scale;
      EXPECT_NEAR(covariance, expected(1 + j, 1 + k), 1e-10);
    }
  }
  // The interval is centred at the unit's weights.
  std::vector<double> lo(3), hi(3), w(3);
  fitted.intervals(x, 0.9, lo, hi, Coverage::kEachFactor, &belief);
  fitted.weights(x, &belief, w);
  for (int j = 0; j < 3; ++j) {
    const double half = normal_quantile(0.95) * std::sqrt(expected(1 + j, 1 + j)) /
                        fitted.encoder().factors[j].scale;
    EXPECT_NEAR(lo[j], w[j] - half, 1e-9);
    EXPECT_NEAR(hi[j], w[j] + half, 1e-9);
  }
}

TEST_F(PersonalTest, WeightsAreThoseOfThePopulationPlusTheDeviationInTheLogsUnits) {
  const Fitted fitted(unit_model(3));
  const UnitStates states = learn(fitted, 12);
  const UnitBelief belief = states.belief(2);
  std::vector<double> deviation(4), population(3), own(3), x{-0.7};
  states.parts().model->basis().expand(belief.mean, deviation);
  fitted.weights(x, population);
  fitted.weights(x, &belief, own);
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(own[j], population[j] + deviation[1 + j] / fitted.encoder().factors[j].scale,
                1e-14);
  EXPECT_EQ(belief.intercept, deviation[0]);
  fitted.weights(x, nullptr, own);
  EXPECT_THAT(own, ElementsAreArray(population));
}

TEST_F(PersonalTest, MeansAreAveragedOverTheUnitOrOverAllUnits) {
  const Fitted fitted(unit_model(2));
  const UnitStates states = learn(fitted, 6);
  const UnitBelief belief = states.belief(0);
  const std::vector<double> x{0.2}, z{1.5, -0.5};
  std::vector<double> standardised{z[0] / 1.0, (z[1] - 0.1) / 1.2};
  const double eta = fitted.standardised_predictor(x, standardised);
  Eigen::VectorXd row(3);
  row << 1, standardised[0], standardised[1];
  const Matrices unit(states, 0);
  const auto mean = [&](double t) { return fitted.family().mean(t); };
  EXPECT_NEAR(fitted.mean(x, z), average(eta, row.dot(unit.prior * row), mean), 1e-6);
  const double own =
      eta + belief.intercept + belief.weights[0] * z[0] + belief.weights[1] * (z[1] - 0.1);
  EXPECT_NEAR(fitted.mean(x, z, &belief), average(own, row.dot(unit.posterior * row), mean), 1e-6);
  const Bounds bounds = fitted.mean_interval(x, z, 0.9, &belief);
  EXPECT_LT(bounds.lo, fitted.mean(x, z, &belief));
  EXPECT_GT(bounds.hi, fitted.mean(x, z, &belief));
}

TEST_F(PersonalTest, LossesAverageTheProbabilityOfTheOutcome) {
  for (const OutputFamily family :
       {OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    const Fitted fitted(unit_model(2, family));
    const UnitStates states = learn(fitted, 6);
    const UnitBelief belief = states.belief(0);
    const std::vector<double> x{0.2}, z{1.5, -0.5};
    Eigen::VectorXd row(3);
    row << 1, z[0] / 1.0, (z[1] - 0.1) / 1.2;
    const Matrices unit(states, 0);
    const double eta = fitted.standardised_predictor(x, std::vector<double>{row[1], row[2]});
    const double own =
        eta + belief.intercept + belief.weights[0] * z[0] + belief.weights[1] * (z[1] - 0.1);
    const auto probability = [&](double t) { return std::exp(-family.log_loss(t, 1, 0.8)); };
    EXPECT_NEAR(std::exp(-fitted.log_loss(x, z, 1, &belief)),
                average(own, row.dot(unit.posterior * row), probability), 1e-5)
        << word(family);
    EXPECT_NEAR(std::exp(-fitted.log_loss(x, z, 1)),
                average(eta, row.dot(unit.prior * row), probability), 1e-5)
        << word(family);
  }
}

TEST_F(PersonalTest, IntervalsOfMeansHaveTheTotalVarianceToo) {
  const Fitted fitted(unit_model(2, OutputFamily::kGaussian));
  const UnitStates states = learn(fitted, 6);
  const UnitBelief belief = states.belief(0);
  const std::vector<double> x{0.2}, z{1.5, -0.5};
  Eigen::VectorXd row(3);
  row << 1, z[0] / 1.0, (z[1] - 0.1) / 1.2;
  const Matrices unit(states, 0);
  // A unit whose rows say everything about its predictor has an interval of the unit's own error
  // plus what is left of the population's.
  const Eigen::VectorXd carried = unit.carried.transpose() * row;
  const double quantile = normal_quantile(0.95);
  // The interval of carried'(error of the population), whose first entry is not 1.
  const auto population = [&] {
    const std::size_t draws = fitted.uncertainty().num_draws();
    std::vector<double> errors(draws * 3);
    fitted.uncertainty().joint_departures(x, effects_at_centers(fitted, x), errors);
    double variance = 0;
    for (std::size_t d = 0; d < draws; ++d) {
      const double error = carried[0] * errors[3 * d] + carried[1] * errors[3 * d + 1] * 1.0 +
                           carried[2] * errors[3 * d + 2] * 1.2;
      variance += error * error / static_cast<double>(draws);
    }
    return variance;
  }();
  const double half = quantile * std::sqrt(population + row.dot(unit.posterior * row));
  const Bounds bounds = fitted.mean_interval(x, z, 0.9, &belief);
  EXPECT_NEAR((bounds.hi - bounds.lo) / 2, half, 1e-9);
  EXPECT_NEAR((bounds.hi + bounds.lo) / 2, fitted.predictor(x, z, &belief), 1e-9);
}

TEST_F(PersonalTest, IntervalsOfAUnitsWeightsCoverItsTrueWeights) {
  // 400 units with known deviations; the population is known exactly.
  Fitted::Parts parts = unit_model(3);
  parts.uncertainty = std::make_shared<NormalUncertainty>(
      as_soft_mixture(parts.scorer),
      NormalUncertainty::Factor{std::vector<double>(MixtureSize{1, 3, 2}.size(), 0.0), 1});
  const Fitted fitted(std::move(parts));
  const int units = 400;
  const UnitStates states = update_units(
      UnitStates(fitted), {.path = write_history("h.csv", fitted, units, 1, 15)}, {.unit = "who"});
  const std::vector<double> x{0.0};
  std::vector<double> population(3), lo(3), hi(3);
  fitted.weights(x, population);
  double covered = 0;
  for (int unit = 0; unit < units; ++unit) {
    std::mt19937_64 random(1000003 + unit);
    std::normal_distribution<double> normal;
    std::vector<double> deviation(4);
    const double shared = 0.6 * std::sqrt(0.3) * normal(random);
    for (double& entry : deviation) entry = shared + 0.6 * std::sqrt(0.7) * normal(random);
    const UnitBelief belief = states.belief(*states.find(fmt::format("u{}", unit)));
    fitted.intervals(x, 0.9, lo, hi, Coverage::kEachFactor, &belief);
    for (int j = 0; j < 3; ++j) {
      const double truth = population[j] + deviation[1 + j] / fitted.encoder().factors[j].scale;
      covered += lo[j] <= truth && truth <= hi[j] ? 1 : 0;
    }
  }
  // The standard error of the share is at most sqrt(.09 / 400), about .015.
  EXPECT_NEAR(covered / (3 * units), 0.9, 0.045);
}

}  // namespace
}  // namespace otss
