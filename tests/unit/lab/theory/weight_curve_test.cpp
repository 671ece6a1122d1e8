#include "lab/theory/weight_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "unit/lab/theory/random_families.hpp"

namespace otss {
namespace {

using namespace internal;

// Shares of K experts that are straight between knots: random nonnegative numbers at the knots that
// sum to 1.
WeightCurve random_curve(Rng& rng) {
  const std::size_t num_experts = 2 + rng.below(4);
  const std::size_t num_factors = 1 + rng.below(6);
  const std::vector<double> knots = random_cells(rng, 1 + rng.below(4));
  std::vector<std::vector<double>> at_knots;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    std::vector<double> shares(num_experts);
    for (double& share : shares) share = rng.uniform();
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= total;
    at_knots.push_back(std::move(shares));
  }
  const auto shares = [=](double x) {
    const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
    const std::size_t piece = above - knots.begin() - 1;
    const double part = (x - knots[piece]) / (knots[piece + 1] - knots[piece]);
    std::vector<double> result;
    for (std::size_t k = 0; k < num_experts; ++k)
      result.push_back((1 - part) * at_knots[piece][k] + part * at_knots[piece + 1][k]);
    return result;
  };
  return mixture_curve(shares, random_normals(rng, num_experts * num_factors), knots);
}

TEST(ProjectedOverlapFloor, HoldsForEveryPartitionOfKExperts) {
  Rng rng(7501);
  int positive = 0;
  for (int i = 0; i < 300; ++i) {
    const WeightCurve curve = random_curve(rng);
    const double a = 0.5 * rng.uniform();
    const double b = a + 0.5 * rng.uniform();
    const ProjectedOverlap projected = best_projection(curve, a, b);
    if (projected.overlap.rise > 0) ++positive;
    const int regions = 1 + static_cast<int>(rng.below(5));
    const double floor = projected_overlap_floor(projected.overlap, regions);
    EXPECT_LE(floor, hard_floor(curve, random_cells(rng, regions)) + 1e-12);
    EXPECT_LE(floor, hard_floor(curve, equal_cuts(0, 1, regions)) + 1e-12);
  }
  EXPECT_GT(positive, 100);
}

TEST(ProjectedOverlapFloor, IsThatOfTwoExpertsAndIsAttainedOnAStraightShare) {
  const TwoExperts two{[](double x) { return 0.1 + 0.8 * x; }, {1.4, -0.4}, {-0.4, 1.4}};
  const WeightCurve curve = mixture_curve(
      [&](double x) {
        return std::vector<double>{two.share(x), 1 - two.share(x)};
      },
      {1.4, -0.4, -0.4, 1.4});
  const ProjectedOverlap projected = best_projection(curve, 0, 1);
  EXPECT_NEAR(projected.overlap.rise, 0.8 * std::sqrt(two.squared_distance()), 1e-9);
  for (const int regions : {1, 3, 7}) {
    const double floor = projected_overlap_floor(projected.overlap, regions);
    EXPECT_NEAR(floor, overlap_floor(two.squared_distance(), {0.8, 0, 1}, regions), 1e-9);
    EXPECT_NEAR(floor, hard_floor(curve, equal_cuts(0, 1, regions)), 1e-9);
    EXPECT_NEAR(floor, hard_floor(two, equal_cuts(0, 1, regions)), 1e-9);
  }
}

TEST(BestProjection, HasTheLargestRiseOfAllDirections) {
  Rng rng(7502);
  for (int i = 0; i < 50; ++i) {
    const WeightCurve curve = random_curve(rng);
    const ProjectedOverlap best = best_projection(curve, 0, 1);
    const std::size_t num_factors = best.direction.size();
    const std::vector<double> grid = equal_cuts(0, 1, 200);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> v = random_normals(rng, num_factors);
      const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
      double rise = INFINITY;
      for (std::size_t g = 0; g + 1 < grid.size(); ++g) {
        const auto from = curve.weights(grid[g]), to = curve.weights(grid[g + 1]);
        double along = 0;
        for (std::size_t j = 0; j < num_factors; ++j) along += v[j] * (to[j] - from[j]) / norm;
        rise = std::min(rise, along / (grid[g + 1] - grid[g]));
      }
      EXPECT_LE(rise, best.overlap.rise + 0.02);
    }
  }
}

TEST(BestProjection, HasNoRiseWhereTheWeightsReturn) {
  const WeightCurve there_and_back{[](double x) { return std::vector<double>{std::abs(x - 0.5)}; },
                                   {0, 0.5, 1}};
  EXPECT_NEAR(best_projection(there_and_back, 0, 1).overlap.rise, 0, 1e-6);
  EXPECT_NEAR(best_projection(there_and_back, 0.5, 1).overlap.rise, 1, 1e-9);
}

}  // namespace
}  // namespace otss
