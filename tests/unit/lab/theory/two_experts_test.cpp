#include "lab/theory/two_experts.hpp"

#include <gtest/gtest.h>

#include "unit/lab/theory/random_families.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kConfigurations = 1000;

TwoExperts straight(double at_zero, double slope) {
  return {[=](double x) { return at_zero + slope * x; }, {1.4, -0.4, 0.45}, {-0.4, 1.4, -0.45}};
}

// E‖w*(X) - w(X)‖² for a map that is constant on cells, vector by vector and on pieces of its own:
// none of the formulas under test.
double direct_error(const TwoExperts& family, const std::vector<double>& cells,
                    const std::vector<std::vector<double>>& weights) {
  double error = 0;
  for (std::size_t c = 0; c + 1 < cells.size(); ++c) {
    std::vector<double> cuts = equal_cuts(cells[c], cells[c + 1], 3);
    for (const double cut : family.cuts)
      if (cells[c] < cut && cut < cells[c + 1]) cuts.push_back(cut);
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t j = 0; j < family.first.size(); ++j) {
      error += integrate(
          [&](double x) {
            const double share = family.share(x);
            const double truth = share * family.first[j] + (1 - share) * family.second[j];
            return (truth - weights[c][j]) * (truth - weights[c][j]);
          },
          cuts);
    }
  }
  return error;
}

// The mean of w* in each cell.
std::vector<std::vector<double>> cell_means(const TwoExperts& family,
                                            const std::vector<double>& cells) {
  std::vector<std::vector<double>> means(cells.size() - 1);
  for (std::size_t c = 0; c + 1 < cells.size(); ++c) {
    std::vector<double> cuts = {cells[c], cells[c + 1]};
    for (const double cut : family.cuts)
      if (cells[c] < cut && cut < cells[c + 1]) cuts.insert(cuts.end() - 1, cut);
    const double share = integrate(family.share, cuts) / (cells[c + 1] - cells[c]);
    for (std::size_t j = 0; j < family.first.size(); ++j)
      means[c].push_back(share * family.first[j] + (1 - share) * family.second[j]);
  }
  return means;
}

TEST(PooledOracleError, IsTheClosedFormOfAStraightShareAndOfALogisticOne) {
  const TwoExperts line = straight(0.1, 0.8);
  EXPECT_NEAR(pooled_oracle_error(line), line.squared_distance() * 0.64 / 12, 1e-10);

  // ∫σ² = ∫σ - (σ(1) - σ(0)) / τ, since σ' = τ σ (1 - σ).
  const double tau = 3;
  TwoExperts logistic = line;
  logistic.share = [=](double x) { return 1 / (1 + std::exp(-tau * (x - 0.5))); };
  const double variance = 0.25 - (logistic.share(1) - logistic.share(0)) / tau;
  EXPECT_NEAR(pooled_oracle_error(logistic), logistic.squared_distance() * variance, 1e-10);
}

TEST(PooledOracleError, EqualsQuadratureAndNoOtherWeightDoesBetter) {
  Rng rng(7401);
  for (int i = 0; i < kConfigurations; ++i) {
    const TwoExperts family = random_family(rng, random_broken_line(rng, i % 2 == 0));
    const double error = pooled_oracle_error(family);
    auto weights = cell_means(family, {0, 1});
    EXPECT_NEAR(error, direct_error(family, {0, 1}, weights), 1e-10);
    weights[0][0] += 0.1 * rng.normal();
    EXPECT_GE(direct_error(family, {0, 1}, weights), error - 1e-12);
  }
}

TEST(HardFloor, EqualsQuadratureAndNoOtherWeightsDoBetter) {
  Rng rng(7402);
  for (int i = 0; i < kConfigurations; ++i) {
    const TwoExperts family = random_family(rng, random_broken_line(rng, i % 2 == 0));
    const std::vector<double> cells = random_cells(rng, 1 + rng.below(6));
    const double floor = hard_floor(family, cells);
    auto weights = cell_means(family, cells);
    EXPECT_NEAR(floor, direct_error(family, cells, weights), 1e-10);
    for (auto& w : weights) w[0] += 0.1 * rng.normal();
    EXPECT_GE(direct_error(family, cells, weights), floor - 1e-12);
  }
}

TEST(HardFloor, VanishesWhenTheWeightsAreConstantInEachCell) {
  TwoExperts step = straight(0, 0);
  step.share = [](double x) { return x < 0.3 ? 0.2 : 0.9; };
  step.cuts = {0, 0.3, 1};
  EXPECT_NEAR(hard_floor(step, step.cuts), 0, 1e-15);
  EXPECT_GT(hard_floor(step, std::vector<double>{0, 0.4, 1}), 0.01);
}

TEST(OverlapFloor, IsBelowTheErrorOfEveryPartition) {
  Rng rng(7403);
  for (int i = 0; i < kConfigurations; ++i) {
    const BrokenLine line = random_broken_line(rng, i % 2 == 0);
    const TwoExperts family = random_family(rng, line);
    // The overlap of some pieces next to each other: κ is the slope of the flattest.
    const std::size_t pieces = line.from.size();
    const std::size_t begin = rng.below(pieces);
    const std::size_t end = begin + 1 + rng.below(pieces - begin);
    Overlap overlap{.rise = line.slope(begin), .a = line.knots[begin], .b = line.knots[end]};
    for (std::size_t p = begin; p < end; ++p) overlap.rise = std::min(overlap.rise, line.slope(p));
    const int regions = 1 + static_cast<int>(rng.below(8));
    const double floor = overlap_floor(family.squared_distance(), overlap, regions);
    // Cells drawn at random, equal ones, and the best there are for that overlap: all of them
    // inside it.
    auto inside = equal_cuts(overlap.a, overlap.b, regions);
    inside.front() = 0;
    inside.back() = 1;
    for (const auto& cells : {random_cells(rng, regions), equal_cuts(0, 1, regions), inside})
      EXPECT_GE(hard_floor(family, cells), floor - 1e-13) << "configuration " << i;
  }
}

TEST(OverlapFloor, IsMetByEqualBinsOnAStraightShare) {
  for (const int regions : {1, 2, 7, 41}) {
    const TwoExperts line = straight(0.1, 0.8);
    EXPECT_NEAR(hard_floor(line, equal_cuts(0, 1, regions)),
                overlap_floor(line.squared_distance(), {.rise = 0.8}, regions), 1e-14);
  }
}

TEST(LipschitzCeilings, AreAboveTheErrorOfEqualBins) {
  Rng rng(7404);
  for (int i = 0; i < kConfigurations; ++i) {
    const BrokenLine line = random_broken_line(rng, false);
    const TwoExperts family = random_family(rng, line);
    double lipschitz = 0;
    for (std::size_t p = 0; p < line.from.size(); ++p)
      lipschitz = std::max(lipschitz, line.slope(p));
    const int regions = 1 + static_cast<int>(rng.below(20));
    const double error = hard_floor(family, equal_cuts(0, 1, regions));
    const double sharp = sharp_lipschitz_ceiling(family.squared_distance(), lipschitz, regions);
    EXPECT_LE(error, sharp * (1 + 1e-12)) << "configuration " << i;
    EXPECT_LE(sharp, lipschitz_ceiling(family.squared_distance(), lipschitz, regions));
  }
}

TEST(LipschitzCeilings, TheSharpOneMeetsTheFloorOnAStraightShare) {
  EXPECT_DOUBLE_EQ(sharp_lipschitz_ceiling(2.5, 0.8, 6), overlap_floor(2.5, {.rise = 0.8}, 6));
}

TEST(AlignedHardBounds, AreAboveTheErrorOfTheCutAtOneHalf) {
  Rng rng(7405);
  for (int i = 0; i < kConfigurations; ++i) {
    const TwoExperts family = random_family(rng, random_broken_line(rng, i % 2 == 0));
    const double bound = aligned_hard_bound(family);
    EXPECT_LE(aligned_hard_error(family), bound + 1e-13) << "configuration " << i;
    EXPECT_LE(bound, aligned_hard_bound(family, rng.uniform(1e-3, 0.499)) + 1e-13);
  }
}

TEST(AlignedHardBounds, AreEqualToTheErrorWhereTheTruthIsOneHot) {
  TwoExperts step = straight(0, 0);
  step.share = [](double x) { return x < 0.3 ? 0.0 : 1.0; };
  step.cuts = {0, 0.3, 1};
  EXPECT_NEAR(aligned_hard_error(step), 0, 1e-15);
  EXPECT_NEAR(aligned_hard_bound(step), 0, 1e-15);
  EXPECT_NEAR(aligned_hard_bound(step, 0.01), step.squared_distance() * 1e-4, 1e-15);
}

TEST(AlignedHardBounds, KnowTheClosedFormOfAStraightShare) {
  // E min{x, 1 - x}² = 1/12, half of [0, 1] has a share between 1/4 and 3/4, and each half of a
  // line has a variance of 1/48.
  const TwoExperts line = straight(0, 1);
  EXPECT_NEAR(aligned_hard_bound(line), line.squared_distance() / 12, 1e-13);
  EXPECT_NEAR(aligned_hard_bound(line, 0.25), line.squared_distance() * (1.0 / 16 + 0.5 / 4),
              1e-13);
  EXPECT_NEAR(aligned_hard_error(line), line.squared_distance() / 48, 1e-13);
}

}  // namespace
}  // namespace otss
