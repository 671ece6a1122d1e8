// Sums that a whole thread block computes, in a fixed order.
#pragma once

#include "engine/cuda/warp.cuh"

namespace otss::internal::cuda {

enum class NonZero { kAll, kLower, kUpper };  // the part of a matrix that is not zero

// Computes out[i] = sum_j factors[j] matrix[j][i], or without factors if they are null. Each warp adds
// up some rows j for all i; then the warps' sums are added. `scratch` has room for `num_columns`
// numbers of each warp. All threads must call this function.
template <NonZero kNonZero, int kThreads>
__device__ void add_rows(const double* matrix, int num_rows, int num_columns, const double* factors,
                         double* scratch, double* out) {
  constexpr int kWarps = kThreads / 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int first = 0; first < num_columns; first += 32) {
    const int i = first + lane;
    double sum = 0;
    if (i < num_columns) {
#pragma unroll 8
      for (int j = warp; j < num_rows; j += kWarps) {
        if (kNonZero == NonZero::kLower && first > j) continue;
        if (kNonZero == NonZero::kUpper && first + 31 < j) continue;
        const double entry =
            load_shared_by_all(matrix + static_cast<std::size_t>(j) * num_columns + i);
        sum += factors == nullptr ? entry : factors[j] * entry;
      }
      scratch[warp * num_columns + i] = sum;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < num_columns; i += kThreads) {
    double sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += scratch[w * num_columns + i];
    out[i] = sum;
  }
  __syncthreads();
}

}  // namespace otss::internal::cuda
