// GpuWeights computes the weights of many contexts on a GPU, in f64.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "otss/model/weight_map.hpp"

namespace otss::internal {

class GpuWeights {
 public:
  virtual ~GpuWeights() = default;
  // As BatchWeights::compute.
  virtual void compute(std::size_t rows, std::span<const double> x, std::span<double> w) const = 0;
};

// Returns null if the GPU cannot compute the weights of this map.
std::unique_ptr<const GpuWeights> make_gpu_weights(const WeightMap& map);

}  // namespace otss::internal
