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
    return __ldg(reinterpret_cast<const float4*>(numbers) +
                 static_cast<std::size_t>(row) * num_fours() + four);
  }
};

// The numbers (f32) of scratch memory that `multiply` needs.
inline constexpr int kProductScratch = 4 * kLeapfrogThreads;

// Computes out = factors times a matrix, in two steps. Each thread adds up some rows of four columns, with
// several loads at the same time; then the threads' sums are added, in f64.
class Product {
 public:
  // Loads this thread's first row: if the block has no copy of it, that takes long.
  __device__ explicit Product(const MatrixOnGpu& matrix)
      : matrix_(matrix),
        width_(min(matrix.num_fours(), kLeapfrogThreads)),
        num_slices_(kLeapfrogThreads / width_),
        slice_(threadIdx.x / width_),
        place_(threadIdx.x % width_) {
    if (slice_ < num_slices_ && slice_ < matrix.num_rows) first_ = matrix.four(slice_, place_);
  }

  // `out` has room for whole fours. All threads must call this function.
  __device__ void multiply(const float* factors, float* scratch, double* out) const {
    for (int first = 0; first < matrix_.num_fours(); first += width_) {
      reinterpret_cast<float4*>(scratch)[threadIdx.x] = sum_of_rows(factors, first);
      __syncthreads();
      for (int i = threadIdx.x; i < 4 * width_; i += kLeapfrogThreads) {
        double total = 0;
        for (int s = 0; s < num_slices_; ++s) total += scratch[s * 4 * width_ + i];
        if (first + i / 4 < matrix_.num_fours()) out[4 * first + i] = total;
      }
      __syncthreads();
    }
  }

 private:
  __device__ float4 sum_of_rows(const float* factors, int first) const {
    constexpr int kLoads = 6;
    float4 sum{0, 0, 0, 0};
    const int column = first + place_;
    if (slice_ >= num_slices_ || column >= matrix_.num_fours()) return sum;
    for (int begin = slice_; begin < matrix_.num_rows; begin += kLoads * num_slices_) {
      float4 entries[kLoads];
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        const int row = min(begin + i * num_slices_, matrix_.num_rows - 1);
        entries[i] = row == slice_ && first == 0 ? first_ : matrix_.four(row, column);
      }
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        const int row = begin + i * num_slices_;
        const float factor = row < matrix_.num_rows ? factors[row] : 0.0F;
        sum.x = fmaf(factor, entries[i].x, sum.x);
        sum.y = fmaf(factor, entries[i].y, sum.y);
        sum.z = fmaf(factor, entries[i].z, sum.z);
        sum.w = fmaf(factor, entries[i].w, sum.w);
      }
    }
    return sum;
  }

  MatrixOnGpu matrix_;
  int width_, num_slices_, slice_, place_;
  float4 first_{0, 0, 0, 0};
};

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
