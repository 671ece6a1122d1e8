// One row of a mixture with any number of columns and experts, in f32 or f64. A thread computes it; the
// 2K values of the rows of a tile are in shared memory, one value after the other.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "data/log/tile_matrix.hpp"
#include "engine/half/half_rows.hpp"

namespace otss::internal::cuda {

inline constexpr int kRows = static_cast<int>(kTileRows);
// The number of linear functions that one reading of a row's columns computes.
inline constexpr int kFunctionsAtOnce = 8;

// The columns of one tile that is stored in f32 (TileMatrix).
class SingleColumns {
 public:
  __device__ SingleColumns(const void* tiles, std::uint64_t tile, int num_columns)
      : tile_(static_cast<const float*>(tiles) + tile * num_columns * kRows) {}
  __device__ float at(int column, int row) const { return tile_[column * kRows + row]; }

 private:
  const float* tile_;
};

// The columns of one tile that is stored in f16 (engine/half/half_rows.hpp).
class HalfColumns {
 public:
  __device__ HalfColumns(const void* tiles, std::uint64_t tile, int num_columns)
      : tile_(static_cast<const __half*>(tiles) + tile * num_columns * kRows),
        num_columns_(num_columns) {}
  __device__ float at(int column, int row) const {
    constexpr int kGroup = static_cast<int>(kHalfGroupRows);
    return __half2float(tile_[(row / kGroup * num_columns_ + column) * kGroup + row % kGroup]);
  }

 private:
  const __half* tile_;
  int num_columns_;
};

// Sets values[k * kRows + row] = functions_k'[columns, 1] for every k. The columns are `num_columns`
// columns of the tile from `first_column` on.
template <class Real, class Columns>
__device__ void apply(const double* functions, int num_functions, const Columns& columns,
                      int first_column, int num_columns, int row, Real* values) {
  for (int first = 0; first < num_functions; first += kFunctionsAtOnce) {
    const int count = min(kFunctionsAtOnce, num_functions - first);
    const double* const own = functions + first * (num_columns + 1);
    Real sums[kFunctionsAtOnce];
#pragma unroll
    for (int k = 0; k < kFunctionsAtOnce; ++k)
      sums[k] = k < count ? Real(own[k * (num_columns + 1) + num_columns]) : Real(0);
    for (int c = 0; c < num_columns; ++c) {
      const Real x = columns.at(first_column + c, row);
#pragma unroll
      for (int k = 0; k < kFunctionsAtOnce; ++k)
        if (k < count) sums[k] += Real(own[k * (num_columns + 1) + c]) * x;
    }
#pragma unroll
    for (int k = 0; k < kFunctionsAtOnce; ++k)
      if (k < count) values[(first + k) * kRows + row] = sums[k];
  }
}

// Replaces the 2K values of a row (K-1 gate scores, the baseline, the scores of the K experts) by the
// derivatives of the linear predictor eta. Returns eta.
template <class Real>
__device__ Real differentiate(int num_experts, int row, Real* values) {
  const int last = num_experts - 1;
  auto context = [&](int k) -> Real& { return values[k * kRows + row]; };
  auto expert = [&](int k) -> Real& { return values[(num_experts + k) * kRows + row]; };
  Real largest = 0;  // the last expert has gate score 0
  for (int k = 0; k < last; ++k) largest = fmax(largest, context(k));
  const auto share = [&](int k) { return exp((k < last ? context(k) : Real(0)) - largest); };
  Real total = 0, mean = 0;
  for (int k = 0; k <= last; ++k) {
    total += share(k);
    mean += share(k) * expert(k);
  }
  mean /= total;
  const Real eta = context(last) + mean;
  for (int k = 0; k <= last; ++k) {
    const Real by_expert = share(k) / total;
    if (k < last) context(k) = by_expert * (expert(k) - mean);
    expert(k) = by_expert;
  }
  context(last) = 1;
  return eta;
}

// Multiplies the 2K derivatives of a row by a number.
template <class Real>
__device__ void scale(int num_experts, int row, Real factor, Real* values) {
  for (int v = 0; v < 2 * num_experts; ++v) values[v * kRows + row] *= factor;
}

}  // namespace otss::internal::cuda
