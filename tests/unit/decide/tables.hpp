// Random and hand-made inputs that the tests of this room share.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "model/maps/soft_mixture.hpp"
#include "otss/data/feasible_set.hpp"

namespace otss {

using namespace internal;

inline std::vector<double> normal_draws(std::size_t count, Rng& rng) {
  std::vector<double> draws(count);
  for (double& draw : draws) draw = rng.normal();
  return draws;
}

inline FeasibleSet library_of(int num_factors, std::vector<double> factors) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < factors.size() / num_factors; ++i) {
    ids.push_back(fmt::format("d{}", i));
  }
  return FeasibleSet::of_library(std::move(ids), num_factors, std::move(factors));
}

// The same decisions, each open to one context.
inline FeasibleSet candidates_of(const std::vector<std::string>& contexts,
                                 const FeasibleSet& library) {
  const auto factors = library.factors();
  return FeasibleSet::of_candidates(contexts, {}, library.num_factors(),
                                    {factors.begin(), factors.end()}, "cand.csv", "who");
}

inline SoftMixture random_mixture(int p, int num_factors, int num_experts, Rng& rng) {
  return SoftMixture(
      LinearGate(p, normal_draws(p * num_experts, rng), normal_draws(num_experts, rng)),
      num_factors, normal_draws(num_factors * num_experts, rng));
}

// Factors on a coarse grid, so that equal scores are common; about a third of the rows are copies
// of earlier ones.
inline FeasibleSet library_with_ties(std::size_t size, int num_factors, Rng& rng) {
  std::vector<double> factors(size * num_factors);
  for (std::size_t i = 0; i < size; ++i) {
    const bool copy = i > 0 && rng.uniform() < 1.0 / 3;
    const std::size_t original = copy ? rng.below(i) : i;
    for (int j = 0; j < num_factors; ++j) {
      factors[i * num_factors + j] =
          copy ? factors[original * num_factors + j] : static_cast<double>(rng.below(5)) - 2;
    }
  }
  return library_of(num_factors, std::move(factors));
}

}  // namespace otss
