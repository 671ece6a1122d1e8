// Evaluates K linear functions on one tile. Each function is a weighted sum of some columns plus a
// constant. The forward pass computes the values of these functions. The backward pass computes the
// gradient from the derivatives of the loss with respect to these values. A kernel has two sets of
// K functions. The first set has the K-1 gate scores (mixture_layout.hpp) and the baseline. The
// second set has the scores of the K experts.
#pragma once

#include <cstddef>

#include "data/log/tile_matrix.hpp"
#include "engine/cpu/isa/vector_math.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kRows = kTileRows;
constexpr std::size_t kRowsPerLine = 64 / sizeof(float);

// Returns the number of registers that the inner loop needs. `others` is the number of vectors
// (forward pass) or columns (backward pass) that the loop handles together. The loop needs experts
// * others accumulators, `others` loaded values that are reused, one value that is used once, and
// one spare register.
constexpr int registers_used(int experts, int others) { return experts * others + others + 2; }

// Returns how many vectors of rows the forward pass handles together. A parameter is broadcast to a
// register once for all these vectors.
constexpr int forward_vectors(int experts) {
  int vectors = 8;
  while (vectors > 1 && registers_used(experts, vectors) > kVectorRegisters) vectors /= 2;
  return vectors;
}

// Returns how many columns the backward pass handles together. A derivative is loaded into a
// register once for all these columns.
constexpr int backward_columns(int experts) {
  int columns = 8;
  while (columns > 1 && registers_used(experts, columns) > kVectorRegisters) --columns;
  return columns;
}

// Prefetches the next tile into the second-level cache. The passes forward, mix and backward each
// fetch some of the tile's cache lines, so that memory traffic is even. Prefetching in only one
// pass would exceed the memory bandwidth in that pass and leave the bandwidth unused in the other
// passes. Lines are fetched in address order, which the hardware handles best. Prefetching beyond
// the end of the tile is harmless.
struct Prefetch {
  const float* next;

  template <int kLines>
  OTSS_INLINE void fetch() {
#pragma GCC unroll 8
    for (int i = 0; i < kLines; ++i, next += kRowsPerLine) __builtin_prefetch(next, 0, 2);
  }
};

// Computes the values of the K functions for all rows of the tile. Function k is theta_k'[columns,
// 1], and its values are stored from rows[k * kRows] on. In theta, the K parameters of a column are
// adjacent, and the K constants come last.
template <class Real, int K>
void apply(const float* columns, Prefetch& prefetch, int num_columns, const Real* theta,
           Real* rows) {
  constexpr int kVectors = forward_vectors(K);
  constexpr std::size_t kLane = kLanes<Real>;
  for (std::size_t i = 0; i < kRows; i += kVectors * kLane) {
    Vector<Real> sums[K][kVectors];
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sums[k][v] = broadcast(theta[num_columns * K + k]);
    }
    for (int c = 0; c < num_columns; ++c) {
      Vector<Real> x[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) x[v] = load<Real>(columns + c * kRows + i + v * kLane);
      prefetch.fetch<kVectors * kLane / 64>();
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) {
        const Vector<Real> parameter = broadcast(theta[c * K + k]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sums[k][v] += parameter * x[v];
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        at(rows + k * kRows + i + v * kLane) = sums[k][v];
      }
    }
  }
}

// Adds products for kColumns columns c and all functions k: sums[c][k] += dot(columns[c], rows[k]).
template <class Real, int K, int kColumns>
OTSS_INLINE void add_block(const float* columns, Prefetch& prefetch, const Real* rows,
                           Vector<Real>* sums) {
  Vector<Real> local[kColumns][K];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) local[c][k] = sums[c * K + k];
  }
  for (std::size_t line = 0; line < kRows; line += kRowsPerLine) {
    prefetch.fetch<kColumns / 2 + 1>();
#pragma GCC unroll 4
    for (std::size_t i = line; i < line + kRowsPerLine; i += kLanes<Real>) {
      Vector<Real> x[kColumns];
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) x[c] = load<Real>(columns + c * kRows + i);
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) {
        // Without opaque(), GCC 12 loads this value again for every column.
        const Vector<Real> row = opaque<Real>(at(rows + k * kRows + i));
#pragma GCC unroll 8
        for (int c = 0; c < kColumns; ++c) local[c][k] += row * x[c];
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) sums[c * K + k] = local[c][k];
  }
}

// Calls add_block() for any number of columns: first for blocks of kColumns columns, then for
// smaller blocks of the remaining columns.
template <class Real, int K, int kColumns = backward_columns(K)>
void add_products(const float* columns, Prefetch& prefetch, int num_columns, const Real* rows,
                  Vector<Real>* sums) {
  int c = 0;
  for (; c + kColumns <= num_columns; c += kColumns) {
    add_block<Real, K, kColumns>(columns + c * kRows, prefetch, rows, sums + c * K);
  }
  if constexpr (kColumns > 1) {
    add_products<Real, K, kColumns / 2>(columns + c * kRows, prefetch, num_columns - c, rows,
                                        sums + c * K);
  }
}

// Returns the sum of the lanes and sets the lanes to zero.
OTSS_INLINE double take(Vector<float>& lanes) {
  const float* half = reinterpret_cast<const float*>(&lanes);
  const double sum = sum_of_lanes(load<double>(half) + load<double>(half + kLanes<double>));
  lanes = Vector<float>{};
  return sum;
}

OTSS_INLINE double take(Vector<double>& lanes) {
  const double sum = sum_of_lanes(lanes);
  lanes = Vector<double>{};
  return sum;
}

// Holds K linear functions of the same columns. `theta` has the parameters of the functions. `rows`
// has the values of the functions on a tile and later the derivatives of the loss with respect to
// these values. `sums` has the gradient, summed per vector lane.
template <class Real, int K>
struct LinearFunctions {
  int num_columns;
  Real* theta;
  Real* rows;
  Vector<Real>* sums;

  static std::size_t size(int num_columns) { return static_cast<std::size_t>(num_columns + 1) * K; }

  Vector<Real>* constant_sums() { return sums + num_columns * K; }

  // Copies the parameters in another order: `from` lists them function by function, `theta` column
  // by column.
  void begin(const double* from) {
    for (int k = 0; k < K; ++k) {
      for (int c = 0; c <= num_columns; ++c) {
        theta[c * K + k] = static_cast<Real>(*from++);
        sums[c * K + k] = Vector<Real>{};
      }
    }
  }

  void flush(double* totals) {
    for (int k = 0; k < K; ++k) {
      for (int c = 0; c <= num_columns; ++c) *totals++ += take(sums[c * K + k]);
    }
  }

  void forward(const float* columns, Prefetch& prefetch) {
    apply<Real, K>(columns, prefetch, num_columns, theta, rows);
  }

  void backward(const float* columns, Prefetch& prefetch) {
    add_products<Real, K>(columns, prefetch, num_columns, rows, sums);
  }
};

}  // namespace
}  // namespace otss::internal
