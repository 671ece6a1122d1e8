#include <gtest/gtest.h>

#include <cmath>

#include "lab/worlds/simulation.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss {
namespace {

using namespace internal;

// Shares of true weights inside their 90 % intervals, over seeds, factors and some test contexts.
double coverage(const FitOptions& options, int seeds,
                const std::function<Simulation(std::uint64_t)>& simulate) {
  int covered = 0, intervals = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const Simulation simulation = simulate(7000 + seed);
    const Fitted fitted = fit(training_log(simulation), options);
    const std::size_t p = simulation.num_contexts;
    const std::size_t num_factors = simulation.num_factors;
    std::vector<double> x(fitted.num_contexts()), lo(num_factors), hi(num_factors);
    for (std::size_t i = 0; i < 5; ++i) {
      const double* raw = &simulation.test.contexts[i * p];
      fitted.encoder().encode(std::vector<RawValue>(raw, raw + p), x);
      fitted.intervals(x, 0.9, lo, hi);
      for (std::size_t j = 0; j < num_factors; ++j) {
        const double truth = simulation.test.weights[i * num_factors + j];
        covered += lo[j] <= truth && truth <= hi[j];
        ++intervals;
      }
    }
  }
  return static_cast<double>(covered) / intervals;
}

TEST(Coverage, OfOneTradeOffIsWhatWasAskedFor) {
  // All contexts of a seed have the same weights: 60 × 8 nearly independent intervals.
  const double share = coverage({.method = Method::kPooled, .threads = 1}, 60, [](auto seed) {
    return simulate_pooled({.n = 1000, .seed = seed});
  });
  EXPECT_NEAR(share, 0.9, 3.5 * std::sqrt(0.09 / (60 * 8)));
}

TEST(Coverage, OfAMixtureIsWhatWasAskedFor) {
  // Weights of a seed go together: about four independent directions in each.
  const double share =
      coverage({.estimator = Estimator::kMap, .experts = 2, .threads = 1}, 12,
               [](auto seed) { return simulate_overlap({.n = 3000, .seed = seed}); });
  EXPECT_NEAR(share, 0.9, 3.5 * std::sqrt(0.09 / (12 * 4)));
}

}  // namespace
}  // namespace otss
