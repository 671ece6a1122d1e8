// Sums that a whole thread block computes, in a fixed order.
#pragma once

#include <cstddef>

#include "engine/cuda/warp.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

// A matrix on the card, whose rows have in_fours(num_columns) numbers. A block may have copied the last
// rows to shared memory.
struct MatrixOnGpu {
  const float* numbers = nullptr;
  int num_rows = 0, num_columns = 0;
  const float* copied = nullptr;
  int num_copied = 0;

  __device__ int num_fours() const { return in_fours(num_columns) / 4; }
  __device__ float4 four(int row, int four) const {
    const int in_copy = row - (num_rows - num_copied);
    if (in_copy >= 0) return reinterpret_cast<const float4*>(copied)[in_copy * num_fours() + four];
    // Other multiprocessors may have written the numbers while this kernel runs.
    return __ldcg(reinterpret_cast<const float4*>(numbers) +
                  static_cast<std::size_t>(row) * num_fours() + four);
  }
};

// The numbers (f32) of scratch memory that add_rows needs.
inline constexpr int kRowScratch = 4 * kLeapfrogThreads;

// Computes out[i] = sum_j factors[j] matrix[j][i], or without factors if they are null. Each thread adds
// up some rows of four columns, with many loads at the same time; then the threads' sums are added, in
// f64. `out` has room for whole fours. All threads must call this function.
__device__ inline void add_rows(const MatrixOnGpu& matrix, const float* factors, float* scratch,
                                double* out) {
  constexpr int kLoads = 8;
  const int num_fours = matrix.num_fours();
  const int width = min(num_fours, kLeapfrogThreads);
  const int num_slices = kLeapfrogThreads / width;
  const int slice = threadIdx.x / width, place = threadIdx.x % width;
  for (int first = 0; first < num_fours; first += width) {
    float4 sum{0, 0, 0, 0};
    if (slice < num_slices && first + place < num_fours) {
      for (int begin = slice; begin < matrix.num_rows; begin += kLoads * num_slices) {
        float4 entries[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
          const int row = begin + i * num_slices;
          entries[i] = row < matrix.num_rows ? matrix.four(row, first + place) : float4{0, 0, 0, 0};
        }
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
          const int row = min(begin + i * num_slices, matrix.num_rows - 1);
          const float factor = factors == nullptr ? 1.0F : factors[row];
          sum.x = fmaf(factor, entries[i].x, sum.x);
          sum.y = fmaf(factor, entries[i].y, sum.y);
          sum.z = fmaf(factor, entries[i].z, sum.z);
          sum.w = fmaf(factor, entries[i].w, sum.w);
        }
      }
    }
    reinterpret_cast<float4*>(scratch)[threadIdx.x] = sum;
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * width; i += kLeapfrogThreads) {
      double total = 0;
      for (int s = 0; s < num_slices; ++s) total += scratch[s * 4 * width + i];
      if (first + i / 4 < num_fours) out[4 * first + i] = total;
    }
    __syncthreads();
  }
}

// Returns the sum of all threads' values to thread 0. `scratch` has a number for each warp. All threads
// must call this function.
__device__ inline double sum_of_block(double own, double* scratch) {
  const double of_warp = sum_of_lanes(own);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = of_warp;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (int w = 0; w < kLeapfrogWarps; ++w) sum += scratch[w];
  return sum;
}

}  // namespace otss::internal::cuda
