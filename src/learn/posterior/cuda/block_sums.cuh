// Sums that a whole thread block computes, in a fixed order.
#pragma once

#include <cstddef>

#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

// A matrix on the card, whose rows have paired(num_columns) numbers. A block may have copied the last
// rows to shared memory.
struct PairedMatrix {
  const double* numbers = nullptr;
  int num_rows = 0, num_columns = 0;
  const double* copied = nullptr;
  int num_copied = 0;

  __device__ int num_pairs() const { return paired(num_columns) / 2; }
  __device__ double2 pair(int row, int pair) const {
    const int in_copy = row - (num_rows - num_copied);
    if (in_copy >= 0) return reinterpret_cast<const double2*>(copied)[in_copy * num_pairs() + pair];
    // Other multiprocessors may have written the numbers while this kernel runs.
    return __ldcg(reinterpret_cast<const double2*>(numbers) +
                  static_cast<std::size_t>(row) * num_pairs() + pair);
  }
};

// The numbers of scratch memory that add_rows needs.
template <int kThreads>
constexpr int kRowScratch = 2 * kThreads;

// Computes out[i] = sum_j factors[j] matrix[j][i], or without factors if they are null. Each thread adds
// up some rows of two columns, with many loads at the same time; then the threads' sums are added.
// `out` has room for whole pairs. All threads must call this function.
template <int kThreads>
__device__ void add_rows(const PairedMatrix& matrix, const double* factors, double* scratch,
                         double* out) {
  constexpr int kLoads = 12;
  const int num_pairs = matrix.num_pairs();
  const int width = min((num_pairs + 31) / 32 * 32, kThreads);
  const int num_slices = kThreads / width;
  const int slice = threadIdx.x / width, place = threadIdx.x % width;
  for (int first = 0; first < num_pairs; first += width) {
    double2 sum{0, 0};
    if (slice < num_slices && first + place < num_pairs) {
      for (int begin = slice; begin < matrix.num_rows; begin += kLoads * num_slices) {
        double2 entries[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
          const int row = begin + i * num_slices;
          entries[i] = row < matrix.num_rows ? matrix.pair(row, first + place) : double2{0, 0};
        }
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
          const int row = min(begin + i * num_slices, matrix.num_rows - 1);
          const double factor = factors == nullptr ? 1 : factors[row];
          sum.x += factor * entries[i].x;
          sum.y += factor * entries[i].y;
        }
      }
    }
    scratch[2 * threadIdx.x] = sum.x;
    scratch[2 * threadIdx.x + 1] = sum.y;
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * width; i += kThreads) {
      double total = 0;
      for (int s = 0; s < num_slices; ++s) total += scratch[s * 2 * width + i];
      if (first + i / 2 < num_pairs) out[2 * first + i] = total;
    }
    __syncthreads();
  }
}

}  // namespace otss::internal::cuda
