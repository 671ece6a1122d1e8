#include <algorithm>

#include "engine/cuda/kernel_shape.hpp"
#include "learn/posterior/cuda/chain_move.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"
#include "learn/posterior/cuda/row_gradient.cuh"

namespace otss::internal::cuda {
namespace {

template <int K>
__global__ void __launch_bounds__(kLeapfrogThreads, 2)
    leapfrog(const __grid_constant__ LeapfrogPass pass) {
  extern __shared__ double shared[];
  if (blockIdx.x < pass.num_row_blocks()) {
    follow_with_rows<K>(pass, shared);
  } else {
    follow_with_chain(pass, shared);
  }
}

// The blocks wait for each other, so all of them must run at the same time: a cooperative launch.
template <int K>
cudaError_t launch(const LeapfrogPass& pass, cudaStream_t stream) {
  const std::size_t row_bytes = in_fours(pass.size()) * sizeof(float);
  const std::size_t bytes = std::max(bytes_of_rows(pass, pass.tiles_at_once),
                                     bytes_of_move(pass) + pass.inverse_rows_copied * row_bytes);
  const cudaError_t set = cudaFuncSetAttribute(
      leapfrog<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (set != cudaSuccess) return set;
  LeapfrogPass argument = pass;
  void* arguments[] = {&argument};
  return cudaLaunchCooperativeKernel(leapfrog<K>, dim3(pass.num_row_blocks() + 1),
                                     dim3(kLeapfrogThreads), arguments, bytes, stream);
}

template <int K = 1>
cudaError_t launch_for(const LeapfrogPass& pass, cudaStream_t stream) {
  if (pass.layout.num_experts == K) return launch<K>(pass, stream);
  if constexpr (K < kMostChainExperts) return launch_for<K + 1>(pass, stream);
  return cudaErrorInvalidValue;
}

}  // namespace

bool divide_tiles(LeapfrogPass& pass, int num_multiprocessors) {
  // Two blocks of different chains share a multiprocessor. One block has no rows.
  constexpr std::size_t kMostBytes = kMostSharedBytes / 2 - 1024;
  const int num_row_blocks = num_multiprocessors - 1;
  pass.tiles_per_block = (pass.num_tiles + num_row_blocks - 1) / num_row_blocks;
  pass.tiles_at_once = 0;
  while (pass.tiles_at_once < pass.tiles_per_block &&
         bytes_of_rows(pass, pass.tiles_at_once + 1) <= kMostBytes)
    ++pass.tiles_at_once;
  const std::size_t bytes = bytes_of_move(pass);
  if (pass.tiles_at_once == 0 || bytes > kMostBytes) return false;
  const std::size_t rows_that_fit = (kMostBytes - bytes) / (in_fours(pass.size()) * sizeof(float));
  pass.inverse_rows_copied = std::min(pass.size(), static_cast<int>(rows_that_fit));
  return true;
}

cudaError_t launch_leapfrog(const LeapfrogPass& pass, cudaStream_t stream) {
  return launch_for(pass, stream);
}

}  // namespace otss::internal::cuda
