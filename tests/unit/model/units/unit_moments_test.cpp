#include "model/units/unit_moments.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/random.hpp"

namespace otss::internal {
namespace {

// Moments of s by a sum over many nodes.
RowMoments by_dense_sum(OutputFamily family, double eta, double outcome, double weight, double mean,
                        double variance) {
  constexpr int kNodes = 200'000;
  const double reach = 14 * std::sqrt(variance);
  const double step = 2 * reach / kNodes;
  double mass = 0;
  double first = 0;
  double second = 0;
  double outcomes = 0;
  for (int k = 0; k <= kNodes; ++k) {
    const double t = -reach + k * step;
    const double density =
        std::exp(-weight * family.loss(eta + mean + t, outcome) - 0.5 * t * t / variance);
    mass += density;
    first += density * t;
    second += density * t * t;
    outcomes += density * family.mean(eta + mean + t);
  }
  first /= mass;
  return {std::log(mass * step / std::sqrt(2 * M_PI * variance)), mean + first,
          second / mass - first * first, outcomes / mass};
}

class MomentsOfARow : public testing::TestWithParam<OutputFamily> {};

TEST_P(MomentsOfARow, AgreeWithASumOverManyNodes) {
  const OutputFamily family = GetParam();
  for (const double variance : {0.01, 0.5, 4.0, 30.0}) {
    for (const double eta : {-3.0, 0.0, 2.0}) {
      for (const double outcome : {0.0, 1.0}) {
        for (const double weight : {1.0, 2.5}) {
          const RowMoments exact = by_dense_sum(family, eta, outcome, weight, 0.3, variance);
          const RowMoments found = row_moments(family, eta, outcome, weight, 0.3, variance);
          const double deviation = std::sqrt(exact.variance);
          EXPECT_NEAR(found.log_mass, exact.log_mass, 1e-4);
          EXPECT_NEAR(found.mean, exact.mean, 1e-4 * deviation);
          EXPECT_NEAR(found.variance, exact.variance, 3e-4 * exact.variance);
          EXPECT_NEAR(found.mean_outcome, exact.mean_outcome,
                      1e-4 * std::max(1.0, exact.mean_outcome));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MomentsOfARow,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson));

TEST(MomentsOfRow, AreFiniteForAnOutcomeThatThePriorThinksImpossible) {
  const RowMoments binary = row_moments(OutputFamily::kBernoulli, -30, 1, 1, 0, 50);
  EXPECT_NEAR(binary.log_mass, by_dense_sum(OutputFamily::kBernoulli, -30, 1, 1, 0, 50).log_mass,
              1e-4);
  const RowMoments count = row_moments(OutputFamily::kPoisson, 1, 100'000, 1, 0, 0.5);
  EXPECT_NEAR(count.mean, std::log(100'000) - 1, 0.01);
}

// Random rows of a unit with two coordinates.
struct TwoCoordinates {
  std::vector<double> directions, offsets, outcomes, weights;

  TwoCoordinates(OutputFamily family, int rows, std::uint64_t seed) {
    Rng rng(seed);
    const double e[2] = {1.2, -0.8};
    for (int r = 0; r < rows; ++r) {
      offsets.push_back(0.4 * rng.normal());
      double eta = offsets.back();
      for (const double entry : e) {
        directions.push_back(rng.normal());
        eta += directions.back() * entry;
      }
      weights.push_back(1);
      const double u = rng.uniform();
      outcomes.push_back(family == OutputFamily::kGaussian    ? eta + rng.normal()
                         : family == OutputFamily::kBernoulli ? (u < family.mean(eta) ? 1 : 0)
                                                              : std::floor(2 * u * std::exp(eta)));
    }
  }
  UnitRows rows() const { return {directions, offsets, outcomes, weights}; }
};

struct GridMoments {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
  double log_evidence = 0;
  std::vector<double> mean_outcomes;
};

GridMoments on_a_grid(OutputFamily family, const TwoCoordinates& unit) {
  constexpr int kNodes = 400;
  constexpr double kStep = 0.03;
  GridMoments grid;
  grid.mean_outcomes.assign(unit.offsets.size(), 0.0);
  double mass = 0;
  for (int i = -kNodes / 2; i <= kNodes / 2; ++i) {
    for (int j = -kNodes / 2; j <= kNodes / 2; ++j) {
      const Eigen::Vector2d e(kStep * i, kStep * j);
      double log_density = -0.5 * e.squaredNorm() - std::log(2 * M_PI);
      std::vector<double> means;
      for (std::size_t r = 0; r < unit.offsets.size(); ++r) {
        const double eta =
            unit.offsets[r] + unit.directions[2 * r] * e[0] + unit.directions[2 * r + 1] * e[1];
        log_density -= family.loss(eta, unit.outcomes[r]);
        means.push_back(family.mean(eta));
      }
      const double density = std::exp(log_density) * kStep * kStep;
      mass += density;
      grid.mean += density * e;
      grid.covariance += density * e * e.transpose();
      for (std::size_t r = 0; r < means.size(); ++r) grid.mean_outcomes[r] += density * means[r];
    }
  }
  grid.mean /= mass;
  grid.covariance = grid.covariance / mass - grid.mean * grid.mean.transpose();
  for (double& outcome : grid.mean_outcomes) outcome /= mass;
  grid.log_evidence = std::log(mass);
  return grid;
}

class MomentsOfAUnit : public testing::TestWithParam<OutputFamily> {};

TEST_P(MomentsOfAUnit, AreCloseToThoseOfTheExactPosterior) {
  const OutputFamily family = GetParam();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const TwoCoordinates unit(family, 8, seed);
    const GridMoments exact = on_a_grid(family, unit);
    UnitMoments found(family, 1, 2);
    std::vector<Site> sites(8);
    found.compute(unit.rows(), sites);
    EXPECT_TRUE(found.converged());
    const Eigen::Map<const Eigen::Matrix2d> covariance(found.covariance().data());
    for (int i = 0; i < 2; ++i) {
      const double deviation = std::sqrt(exact.covariance(i, i));
      EXPECT_NEAR(found.mean()[i], exact.mean[i], 0.02 * deviation);
      for (int j = 0; j < 2; ++j)
        EXPECT_NEAR(covariance(i, j), exact.covariance(i, j), 0.02 * deviation);
    }
    EXPECT_NEAR(found.log_evidence(), exact.log_evidence, 0.01);
    for (std::size_t r = 0; r < 8; ++r)
      EXPECT_NEAR(found.mean_outcomes()[r], exact.mean_outcomes[r],
                  0.005 * std::max(1.0, exact.mean_outcomes[r]));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MomentsOfAUnit,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson));

TEST(UnitMoments, OfBinaryRowsAreCloserThanTheModeAndTheCurvature) {
  // The mode is nearer to 0 than the mean: estimates of the spread that are made from it are too
  // small. Over 20 units, the squared length of the mode is clearly below that of the mean.
  double exact_length = 0;
  double mode_length = 0;
  double found_length = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TwoCoordinates unit(OutputFamily::kBernoulli, 6, seed);
    exact_length += on_a_grid(OutputFamily::kBernoulli, unit).mean.squaredNorm();
    UnitPosterior mode(OutputFamily::kBernoulli, 1, 2);
    mode.update(unit.rows());
    for (const double entry : mode.mean()) mode_length += entry * entry;
    UnitMoments found(OutputFamily::kBernoulli, 1, 2);
    std::vector<Site> sites(6);
    found.compute(unit.rows(), sites);
    for (const double entry : found.mean()) found_length += entry * entry;
  }
  EXPECT_LT(mode_length, 0.95 * exact_length);
  EXPECT_NEAR(found_length, exact_length, 0.01 * exact_length);
}

TEST(UnitMoments, OfGaussianRowsAreExact) {
  const double noise = 0.6;
  const TwoCoordinates unit(OutputFamily::kGaussian, 5, 3);
  UnitMoments found(OutputFamily::kGaussian, noise, 2);
  std::vector<Site> sites(5);
  found.compute(unit.rows(), sites);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;
  const Eigen::Map<const Rows> directions(unit.directions.data(), 5, 2);
  const Eigen::VectorXd residuals =
      Eigen::VectorXd::Map(unit.outcomes.data(), 5) - Eigen::VectorXd::Map(unit.offsets.data(), 5);
  const Eigen::Matrix2d covariance =
      (Eigen::Matrix2d::Identity() + directions.transpose() * directions / (noise * noise))
          .inverse();
  const Eigen::Vector2d mean = covariance * directions.transpose() * residuals / (noise * noise);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.mean()[i], mean[i], 1e-6);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(found.covariance()[2 * i + j], covariance(i, j), 1e-6);
  }
  const Eigen::MatrixXd total =
      noise * noise * Eigen::MatrixXd::Identity(5, 5) + directions * directions.transpose();
  const double log_density =
      -0.5 * residuals.dot(total.ldlt().solve(residuals)) - 0.5 * std::log(total.determinant());
  EXPECT_NEAR(found.log_evidence(), log_density + 5 * std::log(noise), 1e-6);
}

TEST(UnitMoments, DoNotDependOnTheSitesTheyStartFrom) {
  const TwoCoordinates unit(OutputFamily::kBernoulli, 10, 7);
  UnitMoments cold(OutputFamily::kBernoulli, 1, 2);
  std::vector<Site> sites(10);
  cold.compute(unit.rows(), sites);
  for (Site& site : sites) site.precision *= 1.3F;
  UnitMoments warm(OutputFamily::kBernoulli, 1, 2);
  warm.compute(unit.rows(), sites);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(warm.mean()[i], cold.mean()[i], 1e-3);
  EXPECT_NEAR(warm.log_evidence(), cold.log_evidence(), 1e-4);
}

TEST(UnitMoments, IgnoreRowsThatSayNothing) {
  const std::vector<double> directions{0, 0, 1, 0.5}, offsets{0.3, 0.1}, outcomes{1, 1};
  UnitMoments both(OutputFamily::kBernoulli, 1, 2);
  std::vector<Site> sites(2);
  both.compute({directions, offsets, outcomes, {}}, sites);
  UnitMoments one(OutputFamily::kBernoulli, 1, 2);
  std::vector<Site> site(1);
  one.compute(
      {std::span(directions).last(2), std::span(offsets).last(1), std::span(outcomes).last(1), {}},
      site);
  EXPECT_NEAR(both.mean()[0], one.mean()[0], 1e-12);
  EXPECT_NEAR(both.mean_outcomes()[0], 1 / (1 + std::exp(-0.3)), 1e-12);
}

}  // namespace
}  // namespace otss::internal
