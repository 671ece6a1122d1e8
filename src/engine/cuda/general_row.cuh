// One row of a mixture with any number of columns and experts, in f32 or f64. A thread computes it; the
// 2K values of the rows of a tile are in shared memory, one value after the other.
#pragma once

#include "data/log/tile_matrix.hpp"

namespace otss::internal::cuda {

inline constexpr int kRows = static_cast<int>(kTileRows);
// The number of linear functions that one reading of a row's columns computes.
inline constexpr int kFunctionsAtOnce = 8;

// Sets values[k * kRows + row] = functions_k'[columns, 1] for every k.
template <class Real>
__device__ void apply(const double* functions, int num_functions, const float* columns,
                      int num_columns, int row, Real* values) {
  for (int first = 0; first < num_functions; first += kFunctionsAtOnce) {
    const int count = min(kFunctionsAtOnce, num_functions - first);
    const double* const own = functions + first * (num_columns + 1);
    Real sums[kFunctionsAtOnce];
#pragma unroll
    for (int k = 0; k < kFunctionsAtOnce; ++k)
      sums[k] = k < count ? Real(own[k * (num_columns + 1) + num_columns]) : Real(0);
    for (int c = 0; c < num_columns; ++c) {
      const Real x = columns[c * kRows + row];
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
