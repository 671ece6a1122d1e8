// An engine computes the loss of a mixture and its gradient, summed over rows. The engine hides
// where the rows are stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "engine/chunk_sums.hpp"
#include "engine/precision.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

class Engine {
 public:
  virtual ~Engine() = default;

  virtual const MixtureLayout& layout() const = 0;
  virtual double total_weight() const = 0;

  // Returns the weighted sum of the rows' losses (output_family.hpp) and fills `gradient`, which
  // has the layout of `theta`. The result is bitwise identical for any number of threads.
  virtual double evaluate(std::span<const double> theta, std::span<double> gradient,
                          Precision precision) const = 0;
};

// Searches may try parameters that are not finite. The loss is NaN there, and so is its gradient. Returns
// this loss and fills `gradient`, or returns nothing if all parameters are finite.
inline std::optional<double> loss_if_not_finite(std::span<const double> theta,
                                                std::span<double> gradient) {
  if (std::ranges::all_of(theta, [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  std::ranges::fill(gradient, std::numeric_limits<double>::quiet_NaN());
  return std::numeric_limits<double>::quiet_NaN();
}

// An engine that can also return the sums of each chunk.
class ChunkedEngine : public Engine {
 public:
  // Returns the loss and the gradient of each chunk of 8192 rows: 1 + theta.size() sums per chunk.
  // evaluate() adds these in the order of the chunks. Every entry of `theta` must be finite.
  virtual ChunkSums evaluate_chunks(std::span<const double> theta, Precision precision) const = 0;
};

}  // namespace otss::internal
