// A log for the benchmarks whose outcomes are drawn from a known mixture, and a clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "engine/mixture_row.hpp"
#include "learn/problem/problem.hpp"

namespace otss::bench {

using namespace otss::internal;

inline constexpr MixtureLayout kLayout{.num_contexts = 20, .num_factors = 10, .num_experts = 5};
inline constexpr int kColumns = kLayout.num_contexts + kLayout.num_factors;

inline double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

inline std::vector<double> true_theta() {
  Rng rng(7);
  std::vector<double> theta(kLayout.size());
  for (double& value : theta) value = 0.5 * rng.normal();
  return theta;
}

// Returns rows whose outcomes are drawn from the true mixture.
inline Problem make_problem(std::size_t num_rows, int num_threads) {
  const auto features = std::make_shared<TileMatrix>(num_rows, kColumns);
  std::vector<float> outcomes(num_rows);
  const std::vector<double> theta = true_theta();
  parallel_for(features->num_tiles(), num_threads, [&](std::size_t tile) {
    Rng rng(11, tile);
    MixtureRow row(kLayout, theta, Mixed::kPredictors);
    const std::size_t end = std::min(num_rows, (tile + 1) * kTileRows);
    for (std::size_t i = tile * kTileRows; i < end; ++i) {
      for (int c = 0; c < kColumns; ++c)
        features->at(i, c) = static_cast<float>(rng.uniform(-1.7, 1.7));
      row.evaluate(features->tile(tile) + i % kTileRows);
      outcomes[i] = rng.uniform() < 1 / (1 + std::exp(-row.eta())) ? 1.0F : 0.0F;
    }
  });
  return {
      .features = features, .num_contexts = kLayout.num_contexts, .rows = SignedWeights(outcomes)};
}

}  // namespace otss::bench
