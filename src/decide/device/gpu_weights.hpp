// GpuWeights computes the weights of many contexts on a GPU, in f64.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "model/maps/soft_mixture.hpp"

namespace otss::internal {

class GpuWeights {
 public:
  virtual ~GpuWeights() = default;
  // As BatchWeights::compute.
  virtual void compute(std::size_t rows, std::span<const double> x, std::span<double> w) const = 0;
};

// Returns null if the gate is not one that the GPU computes, or if there are too many experts.
std::unique_ptr<const GpuWeights> make_gpu_weights(const SoftMixture& mixture);

}  // namespace otss::internal
