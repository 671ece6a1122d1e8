// Starts the f16 kernel of one shape.
#pragma once

#include <algorithm>

#include "data/log/tile_matrix.hpp"
#include "engine/cuda/half/half_kernel.cuh"
#include "engine/cuda/half/half_kernels.hpp"

namespace otss::internal::cuda {

template <class S>
cudaError_t launch_half(const HalfPassRows& rows, const PassParameters& parameters, int num_blocks,
                        cudaStream_t stream) {
  static_assert(S::kShape.stages >= 2);
  HalfPass<S> pass{.features = static_cast<const TwoHalves*>(rows.features),
                   .signed_weights = rows.signed_weights,
                   .num_groups = rows.num_tiles * (kTileRows / kWarpRows),
                   .num_columns = rows.num_columns,
                   .weight_scale = rows.weight_scale,
                   .sums = rows.sums};
  const auto as_float = [](double value) { return static_cast<float>(value); };
  std::ranges::transform(parameters.constants, pass.constants, as_float);
  std::ranges::transform(parameters.coefficients, &pass.coefficients[0][0], as_float);
  const cudaError_t set = cudaFuncSetAttribute(
      half_loss_gradient<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kShape.shared_bytes());
  if (set != cudaSuccess) return set;
  half_loss_gradient<S>
      <<<num_blocks, S::kShape.warps * 32, S::kShape.shared_bytes(), stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
