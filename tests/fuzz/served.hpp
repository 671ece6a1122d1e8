// Uses a model as a server does, and checks what it promises of its numbers.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "otss/model/fitted.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/uncertainty.hpp"
#include "promises.hpp"

namespace otss::fuzz {

// Returns everything that a model computes for one encoded context. All of it is finite.
inline std::vector<double> numbers_in(const Fitted& fitted, std::span<const double> x) {
  const std::vector<double> z(fitted.num_factors(), 0.5);
  std::vector<double> numbers{fitted.predictor(x, z)};
  if (fitted.has_weights()) {
    std::vector<double> w(fitted.num_factors());
    fitted.weights(x, w);
    numbers.insert(numbers.end(), w.begin(), w.end());
    if (fitted.has_uncertainty()) {
      std::vector<double> lo(w.size()), hi(w.size());
      fitted.intervals(x, 0.9, lo, hi);
      for (std::size_t j = 0; j < w.size(); ++j)
        require(lo[j] <= w[j] && w[j] <= hi[j], "an interval contains its weight");
      numbers.insert(numbers.end(), lo.begin(), lo.end());
      numbers.insert(numbers.end(), hi.begin(), hi.end());
    }
  }
  require_finite(numbers, "no number of a model is infinite or NaN");
  return numbers;
}

// Encoded contexts to try a model with: the mean, and two others.
inline std::vector<std::vector<double>> contexts_of(const Fitted& fitted) {
  const auto p = static_cast<std::size_t>(fitted.num_contexts());
  std::vector<std::vector<double>> contexts{std::vector<double>(p, 0.0),
                                            std::vector<double>(p, 1.0), std::vector<double>(p)};
  for (std::size_t i = 0; i < p; ++i) contexts.back()[i] = i % 2 == 0 ? -1.25 : 0.75;
  return contexts;
}

inline std::vector<std::vector<double>> numbers_of(const Fitted& fitted) {
  std::vector<std::vector<double>> numbers;
  for (const auto& x : contexts_of(fitted)) numbers.push_back(numbers_in(fitted, x));
  return numbers;
}

}  // namespace otss::fuzz
