#include "model/units/unit_moments.hpp"

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/random.hpp"
#include "model/units/packed_cholesky.hpp"
#include "unit/model/allocation_counter.hpp"

namespace otss::internal {
namespace {

using testing::ElementsAreArray;

// What is computed for one unit.
struct Posterior {
  std::vector<double> mean, covariance, factor, mean_outcomes;
  std::vector<Site> sites;
  double log_evidence = 0;
  bool converged = false;
};

Posterior posterior_of(const UnitMoments& moments, std::size_t unit, std::size_t rows) {
  const std::size_t rank = moments.rank();
  Posterior result{std::vector<double>(rank),
                   std::vector<double>(rank * rank),
                   std::vector<double>(packed_size(rank)),
                   {},
                   {},
                   moments.log_evidence(unit),
                   moments.converged(unit)};
  moments.copy_mean(unit, result.mean);
  moments.copy_covariance(unit, result.covariance);
  moments.copy_factor(unit, result.factor);
  for (std::size_t row = 0; row < rows; ++row) {
    result.mean_outcomes.push_back(moments.mean_outcome(unit, row));
    result.sites.push_back(moments.site(unit, row));
  }
  return result;
}

Posterior compute(OutputFamily family, double noise, int rank, const UnitRows& rows,
                  std::span<const Site> sites = {}, const NaturalNormal* prior = nullptr) {
  UnitMoments moments(family, noise, rank);
  moments.add(rows, sites, prior);
  moments.compute();
  EXPECT_TRUE(moments.is_finite(0));
  return posterior_of(moments, 0, rows.size());
}

// The distribution of s, which has a normal distribution times the likelihood of one row, and the
// mean of the row's outcome.
struct RowMoments {
  double log_mass, mean, variance, mean_outcome;
};

// A unit with one row and one coordinate.
RowMoments row_moments(OutputFamily family, double eta, double outcome, double weight, double mean,
                       double variance) {
  const double direction = std::sqrt(variance), offset = eta + mean;
  const UnitRows row{{&direction, 1}, {&offset, 1}, {&outcome, 1}, {&weight, 1}};
  const Posterior found = compute(family, 1, 1, row);
  return {found.log_evidence, mean + direction * found.mean[0], variance * found.covariance[0],
          found.mean_outcomes[0]};
}

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
    const Posterior found = compute(family, 1, 2, unit.rows());
    EXPECT_TRUE(found.converged);
    const Eigen::Map<const Eigen::Matrix2d> covariance(found.covariance.data());
    for (int i = 0; i < 2; ++i) {
      const double deviation = std::sqrt(exact.covariance(i, i));
      EXPECT_NEAR(found.mean[i], exact.mean[i], 0.02 * deviation);
      for (int j = 0; j < 2; ++j)
        EXPECT_NEAR(covariance(i, j), exact.covariance(i, j), 0.02 * deviation);
    }
    EXPECT_NEAR(found.log_evidence, exact.log_evidence, 0.01);
    for (std::size_t r = 0; r < 8; ++r)
      EXPECT_NEAR(found.mean_outcomes[r], exact.mean_outcomes[r],
                  0.005 * std::max(1.0, exact.mean_outcomes[r]));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MomentsOfAUnit,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson));

TEST(UnitMoments, OfGaussianRowsAreExact) {
  const double noise = 0.6;
  const TwoCoordinates unit(OutputFamily::kGaussian, 5, 3);
  const Posterior found = compute(OutputFamily::kGaussian, noise, 2, unit.rows());
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;
  const Eigen::Map<const Rows> directions(unit.directions.data(), 5, 2);
  const Eigen::VectorXd residuals =
      Eigen::VectorXd::Map(unit.outcomes.data(), 5) - Eigen::VectorXd::Map(unit.offsets.data(), 5);
  const Eigen::Matrix2d covariance =
      (Eigen::Matrix2d::Identity() + directions.transpose() * directions / (noise * noise))
          .inverse();
  const Eigen::Vector2d mean = covariance * directions.transpose() * residuals / (noise * noise);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.mean[i], mean[i], 1e-12);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(found.covariance[2 * i + j], covariance(i, j), 1e-12);
  }
  const Eigen::MatrixXd total =
      noise * noise * Eigen::MatrixXd::Identity(5, 5) + directions * directions.transpose();
  const double log_density =
      -0.5 * residuals.dot(total.ldlt().solve(residuals)) - 0.5 * std::log(total.determinant());
  EXPECT_NEAR(found.log_evidence, log_density + 5 * std::log(noise), 1e-10);
}

TEST(UnitMoments, DoNotDependOnTheSitesTheyStartFrom) {
  const TwoCoordinates unit(OutputFamily::kBernoulli, 10, 7);
  const Posterior cold = compute(OutputFamily::kBernoulli, 1, 2, unit.rows());
  std::vector<Site> sites = cold.sites;
  for (Site& site : sites) site.precision *= 1.3;
  const Posterior warm = compute(OutputFamily::kBernoulli, 1, 2, unit.rows(), sites);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(warm.mean[i], cold.mean[i], 1e-3);
  EXPECT_NEAR(warm.log_evidence, cold.log_evidence, 1e-4);
}

TEST(UnitMoments, IgnoreRowsThatSayNothing) {
  const std::vector<double> directions{0, 0, 1, 0.5, 3, 3}, offsets{0.3, 0.1, 0.2};
  const std::vector<double> outcomes{1, 1, 0}, weights{1, 1, 0};
  for (const OutputFamily family :
       {OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    const Posterior all = compute(family, 1, 2, {directions, offsets, outcomes, weights});
    const Posterior one =
        compute(family, 1, 2,
                {std::span(directions).subspan(2, 2), std::span(offsets).subspan(1, 1),
                 std::span(outcomes).subspan(1, 1)});
    EXPECT_NEAR(all.mean[0], one.mean[0], 1e-12);
    EXPECT_NEAR(all.mean_outcomes[0], family.mean(0.3), 1e-12);
    EXPECT_NEAR(all.log_evidence, one.log_evidence - family.loss(0.3, 1), 1e-12);
  }
}

TEST(UnitMoments, OfAUnitDoNotDependOnTheUnitsBesideIt) {
  for (const OutputFamily family :
       {OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    std::vector<TwoCoordinates> units;
    for (std::size_t i = 0; i < UnitMoments::kMostUnits; ++i) {
      units.emplace_back(family, static_cast<int>(3 + 2 * i), i + 1);
      if (i % 2 == 1) std::ranges::fill(units.back().weights, 0.4);
    }
    UnitMoments together(family, 0.9, 2);
    for (const TwoCoordinates& unit : units) together.add(unit.rows());
    together.compute();
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Posterior alone = compute(family, 0.9, 2, units[i].rows());
      const Posterior beside = posterior_of(together, i, units[i].offsets.size());
      EXPECT_THAT(beside.mean, ElementsAreArray(alone.mean));
      EXPECT_THAT(beside.factor, ElementsAreArray(alone.factor));
      EXPECT_THAT(beside.mean_outcomes, ElementsAreArray(alone.mean_outcomes));
      EXPECT_EQ(beside.log_evidence, alone.log_evidence);
    }
  }
}

TEST(UnitMoments, AreTheSameWithEveryInstructionSet) {
  const TwoCoordinates unit(OutputFamily::kBernoulli, 12, 5);
  const Posterior here = compute(OutputFamily::kBernoulli, 1, 2, unit.rows());
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    UnitMoments moments(OutputFamily::kBernoulli, 1, 2, isa);
    moments.add(unit.rows());
    moments.compute();
    const Posterior there = posterior_of(moments, 0, 12);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(there.mean[i], here.mean[i], 1e-9);
    EXPECT_NEAR(there.log_evidence, here.log_evidence, 1e-9);
  }
}

TEST(UnitMoments, AreTheSameRowByRowAndWithoutEvidence) {
  for (const OutputFamily family :
       {OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    const TwoCoordinates unit(family, 12, 5);
    const UnitRows rows = unit.rows();
    const Posterior whole = compute(family, 0.9, 2, rows);
    UnitMoments moments(family, 0.9, 2);
    moments.begin();
    for (std::size_t r = 0; r < rows.size(); ++r)
      moments.set_row(r, rows.directions.subspan(2 * r, 2), rows.offsets[r], rows.outcomes[r],
                      rows.weights[r]);
    moments.compute_without_evidence();
    const Posterior found = posterior_of(moments, 0, rows.size());
    EXPECT_THAT(found.mean, ElementsAreArray(whole.mean));
    EXPECT_THAT(found.factor, ElementsAreArray(whole.factor));
    EXPECT_THAT(found.mean_outcomes, ElementsAreArray(whole.mean_outcomes));
    for (std::size_t r = 0; r < rows.size(); ++r)
      EXPECT_EQ(found.sites[r].precision, whole.sites[r].precision);
  }
}

TEST(UnitMoments, OfGaussianRowsAreTheSameInPieces) {
  const TwoCoordinates unit(OutputFamily::kGaussian, 10, 5);
  const UnitRows rows = unit.rows();
  const Posterior whole = compute(OutputFamily::kGaussian, 0.5, 2, rows);
  const Posterior first = compute(OutputFamily::kGaussian, 0.5, 2,
                                  {rows.directions.first(12), rows.offsets.first(6),
                                   rows.outcomes.first(6), rows.weights.first(6)});
  const std::vector<double>& f = first.factor;
  const std::vector<double> precision{f[0] * f[0], f[0] * f[1], f[1] * f[1] + f[2] * f[2]};
  std::vector<double> information(2);
  multiply_packed(precision, first.mean, information);
  const NaturalNormal prior{precision, information};
  const Posterior pieces = compute(OutputFamily::kGaussian, 0.5, 2,
                                   {rows.directions.subspan(12), rows.offsets.subspan(6),
                                    rows.outcomes.subspan(6), rows.weights.subspan(6)},
                                   {}, &prior);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(pieces.mean[i], whole.mean[i], 1e-12);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(pieces.factor[i], whole.factor[i], 1e-12);
}

TEST(UnitMoments, AreFiniteWhereTheOffsetsContradictTheOutcomes) {
  // All outcomes are 1 although the offsets say 0 with near certainty.
  const std::vector<double> directions(20, 3.0), offsets(20, -40.0), outcomes(20, 1.0);
  const Posterior found = compute(OutputFamily::kBernoulli, 1, 1, {directions, offsets, outcomes});
  // By quadrature, the posterior mean is 13.763 and the standard deviation is 0.1822.
  EXPECT_NEAR(found.mean[0], 13.7630, 0.01);
  EXPECT_NEAR(std::sqrt(found.covariance[0]), 0.1822, 0.01);
}

TEST(UnitMoments, WithoutRowsAreThePrior) {
  const Posterior found = compute(OutputFamily::kBernoulli, 1, 3, UnitRows{});
  EXPECT_THAT(found.mean, testing::Each(0.0));
  EXPECT_THAT(found.factor, testing::ElementsAre(1, 0, 1, 0, 0, 1));
}

TEST(UnitMoments, SayThatNumbersOverflow) {
  const std::vector<double> negative{-1.0}, zero{0.0}, one{1.0}, huge{1e300};
  const NaturalNormal no_distribution{negative, zero};
  UnitMoments moments(OutputFamily::kPoisson, 1, 1);
  moments.add(UnitRows{}, {}, &no_distribution);
  moments.add({one, huge, one});
  moments.add({one, zero, one});
  moments.compute();
  EXPECT_FALSE(moments.is_finite(0));
  EXPECT_FALSE(moments.is_finite(1));
  EXPECT_TRUE(moments.is_finite(2));
}

TEST(UnitMoments, NeedNoMemoryAfterTheFirstUnit) {
  const TwoCoordinates unit(OutputFamily::kBernoulli, 10, 3);
  UnitMoments moments(OutputFamily::kBernoulli, 1, 2);
  const auto compute_once = [&] {
    moments.clear();
    moments.add(unit.rows());
    moments.compute();
  };
  compute_once();
  const std::size_t before = num_allocations();
  compute_once();
  EXPECT_EQ(num_allocations(), before);
}

}  // namespace
}  // namespace otss::internal
