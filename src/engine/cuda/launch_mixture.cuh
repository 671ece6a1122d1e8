// Starts the kernel of one shape.
#pragma once

#include <algorithm>

#include "engine/cuda/mixture_kernel.cuh"
#include "engine/cuda/mixture_kernels.hpp"

namespace otss::internal::cuda {

template <class S>
cudaError_t launch_mixture(const PassRows& rows, const PassParameters& parameters, int num_blocks,
                           cudaStream_t stream) {
  static_assert(S::kShape.shared_bytes() <= kMostSharedBytes);
  MixturePass<S> pass{.features = rows.features,
                      .signed_weights = rows.signed_weights,
                      .num_tiles = rows.num_tiles,
                      .num_contexts = rows.num_contexts,
                      .num_columns = rows.num_columns,
                      .sums = rows.sums};
  const auto as_real = [](double value) { return static_cast<typename S::Real>(value); };
  std::ranges::transform(parameters.constants, pass.constants, as_real);
  std::ranges::transform(parameters.coefficients, &pass.coefficients[0][0], as_real);
  const cudaError_t set = cudaFuncSetAttribute(
      loss_gradient<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kShape.shared_bytes());
  if (set != cudaSuccess) return set;
  loss_gradient<S><<<num_blocks, S::kShape.warps * 32, S::kShape.shared_bytes(), stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
