// The Gauss–Newton matrix of a log on the GPU.
#pragma once

#include <span>
#include <vector>

#include "engine/cuda/gpu_log.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

// True if the GPU has room for the matrix of so many parameters, in as many copies as it needs.
bool can_sum_gauss_newton(std::size_t num_parameters);

// Returns the matrix of Mixed::kPredictors (engine/gauss_newton.hpp), column after column. The log
// must have no offsets.
std::vector<double> sum_gauss_newton(const GpuLog& log, const MixtureLayout& layout,
                                     std::span<const double> theta);

}  // namespace otss::internal::cuda
