#include "learn/problem/spectral_start.hpp"

#include <gtest/gtest.h>

#include <set>

#include "learn/mixture/pooled.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// A log with one context column gives one pair of directions, but five experts span four. Experts
// that start with equal weights and equal shares would stay equal.
TEST(SpectralStart, GivesDifferentExpertsEvenIfTheLogHasFewColumns) {
  Rng rng(1);
  std::vector<test::Row> rows(400);
  for (test::Row& row : rows) {
    row.x = test::normals(rng, 1);
    row.z = test::normals(rng, 3);
    row.outcome = rng.uniform() < test::logistic(row.x[0] * row.z[0] - row.z[1]);
  }
  const Problem problem = test::problem_of(rows);
  const SpectralStart spectral(problem, fit_pooled(problem, 1).fit.theta);
  ASSERT_EQ(spectral.num_pairs(), 1);
  constexpr int kExperts = 5;
  const MixtureLayout layout = problem.layout(kExperts);
  const std::vector<double> start = spectral.start(kExperts);
  std::set<double> weights;
  for (int k = 0; k < kExperts; ++k) weights.insert(start[layout.expert(k)]);
  EXPECT_EQ(weights.size(), static_cast<std::size_t>(kExperts));
  EXPECT_EQ(start, spectral.start(kExperts)) << "the start is deterministic";
}

}  // namespace
}  // namespace otss
