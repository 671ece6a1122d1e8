// Random and hand-made inputs that the tests of this room share.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "model/maps/soft_mixture.hpp"
#include "otss/decide/library.hpp"

namespace otss {

inline std::vector<double> normal_draws(std::size_t count, Rng& rng) {
  std::vector<double> draws(count);
  for (double& draw : draws) draw = rng.normal();
  return draws;
}

inline Library library_of(int num_factors, std::vector<double> factors) {
  Library library{{}, num_factors, std::move(factors)};
  for (std::size_t i = 0; i < library.factors.size() / num_factors; ++i) {
    library.ids.push_back(fmt::format("d{}", i));
  }
  return library;
}

inline SoftMixture random_mixture(int p, int num_factors, int num_experts, Rng& rng) {
  return SoftMixture(
      LinearGate(p, normal_draws(p * num_experts, rng), normal_draws(num_experts, rng)),
      num_factors, normal_draws(num_factors * num_experts, rng));
}

// Factors on a coarse grid, so that equal scores are common; about a third of the rows are copies
// of earlier ones.
inline Library library_with_ties(std::size_t size, int num_factors, Rng& rng) {
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
