// The gradient and the loss of a thread block's rows. A log of 100,000 rows fits into the shared memory of
// all blocks, and stays there for a whole trajectory.
#pragma once

#include <type_traits>

#include "data/log/tile_matrix.hpp"
#include "engine/cuda/row_mixture.cuh"
#include "engine/cuda/warp.cuh"
#include "learn/posterior/cuda/block_signal.cuh"
#include "learn/posterior/cuda/block_sums.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

inline constexpr int kTile = static_cast<int>(kTileRows);
inline constexpr int kThreads = kLeapfrogThreads;
inline constexpr int kTilesOfThreads = kThreads / kTile;

// Coefficients of a column are padded, so that a thread loads two or four at a time.
__host__ __device__ constexpr int padded(int num_experts) { return (num_experts + 1) / 2 * 2; }

// Of all columns and both intercepts; a multiple of 16 bytes.
__host__ __device__ constexpr int coefficient_floats(const MixtureLayout& layout) {
  const int count = (layout.num_contexts + layout.num_factors + 2) * padded(layout.num_experts);
  return (count + 3) / 4 * 4;
}

// The shared memory of a block while it adds up its rows. All parts begin at multiples of 16 bytes.
struct RowMemory {
  double* sums;         // [size of theta, in fours]
  double* warp_losses;  // [kLeapfrogWarps]
  float* coefficients;  // [p + 1 contexts, J + 1 factors][padded(K)]; the last of both: intercepts
  float* derivatives;   // [2K][kThreads]
  float* tiles;         // [tile][column][row]
  float* signed_weights;  // [tile][row]

  __device__ RowMemory(const LeapfrogPass& pass, double* shared) {
    const MixtureLayout& layout = pass.layout;
    const int num_columns = layout.num_contexts + layout.num_factors;
    sums = shared;
    warp_losses = sums + in_fours(pass.size());
    coefficients = reinterpret_cast<float*>(warp_losses + kLeapfrogWarps);
    derivatives = coefficients + coefficient_floats(layout);
    tiles = derivatives + 2 * layout.num_experts * kThreads;
    signed_weights = tiles + pass.tiles_at_once * num_columns * kTile;
  }
};

inline std::size_t bytes_of_rows(const LeapfrogPass& pass, int num_tiles) {
  const MixtureLayout& layout = pass.layout;
  const std::size_t num_columns = layout.num_contexts + layout.num_factors;
  return (in_fours(pass.size()) + kLeapfrogWarps) * sizeof(double) +
         (coefficient_floats(layout) + 2 * layout.num_experts * kThreads +
          num_tiles * (num_columns + 1) * kTile) *
             sizeof(float);
}

// Waits until the chain is where this step's gradient is wanted, and reads theta into the order of the
// coefficients. Returns false, to all threads, if the kernel ends instead.
template <int K>
__device__ bool read_coefficients(const LeapfrogPass& pass, unsigned step, float* coefficients) {
  const int p = pass.layout.num_contexts, J = pass.layout.num_factors;
  bool ends = false;
  for (int i = threadIdx.x; i < pass.size(); i += kThreads) {
    const StepNumber theta = wait_for_step(pass.theta + i, step, end_of_kernel(pass.kernel));
    ends |= theta.step != step;
    const int in_experts = i - K * (p + 1);
    const int k = in_experts < 0 ? i / (p + 1) : in_experts / (J + 1);
    const int c = in_experts < 0 ? i % (p + 1) : p + 1 + in_experts % (J + 1);
    coefficients[c * padded(K) + k] = theta.number;
  }
  return __syncthreads_or(ends ? 1 : 0) == 0;
}

// Starts copies of whole tiles, or of the weights of whole tiles, into shared memory.
__device__ inline void copy_floats(float* to, const float* from, int count) {
  for (int i = threadIdx.x * 4; i < count; i += kThreads * 4)
    copy_16_bytes<0, 0>(shared_address(to + i), from + i);
}

// The 2K values of one row, and later the derivatives of its loss.
template <int K>
struct RowValues {
  float of[2 * K];
};

// Adds K coefficients times a row's number in one column, for each of the rows.
template <int K, int kRows>
__device__ void add_column(const float* coefficients, const float* const (&columns)[kRows],
                           int column, RowValues<K> (&rows)[kRows], int first) {
  using Several = std::conditional_t<padded(K) % 4 == 0, float4, float2>;
  constexpr int kSeveral = sizeof(Several) / sizeof(float);
  float own[padded(K)];
#pragma unroll
  for (int k = 0; k < padded(K); k += kSeveral)
    *reinterpret_cast<Several*>(own + k) = *reinterpret_cast<const Several*>(coefficients + k);
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const float x = columns[row][column * kTile];
#pragma unroll
    for (int k = 0; k < K; ++k) rows[row].of[first + k] = fmaf(own[k], x, rows[row].of[first + k]);
  }
}

// Computes the derivatives of the losses of one row in each of kRows tiles in shared memory: `tile`, and
// the tile that this thread works on next. A tile after the last one has no weight.
template <int K, int kRows>
__device__ void work_on_rows(const LeapfrogPass& pass, const RowMemory& memory, int tile,
                             int num_tiles, RowValues<K> (&rows)[kRows], CarefulSum& loss) {
  const int p = pass.layout.num_contexts, J = pass.layout.num_factors, place = threadIdx.x % kTile;
  const float* const experts = memory.coefficients + (p + 1) * padded(K);
  const float* columns[kRows];
  float signed_weight[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const int own = tile + row * kTilesOfThreads, read = min(own, num_tiles - 1);
    columns[row] = memory.tiles + read * (p + J) * kTile + place;
    signed_weight[row] = own < num_tiles ? memory.signed_weights[own * kTile + place] : 0.0F;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      rows[row].of[k] = memory.coefficients[p * padded(K) + k];
      rows[row].of[K + k] = experts[J * padded(K) + k];
    }
  }
#pragma unroll 4
  for (int c = 0; c < p; ++c)
    add_column<K, kRows>(memory.coefficients + c * padded(K), columns, c, rows, 0);
#pragma unroll 2
  for (int j = 0; j < J; ++j)
    add_column<K, kRows>(experts + j * padded(K), columns, p + j, rows, K);
#pragma unroll
  for (int row = 0; row < kRows; ++row) mix<K>(signed_weight[row], rows[row].of, loss);
}

// Returns to lane i the sum of values[i] over the lanes; there are 16 or 32 values. The lanes exchange
// halves of their values.
template <int kCount, int kHalf = kCount / 2>
__device__ float sums_to_lanes(float (&values)[kCount], int lane) {
  const bool upper = (lane & kHalf) != 0;
#pragma unroll
  for (int i = 0; i < kHalf; ++i) {
    const float given = upper ? values[i] : values[i + kHalf];
    const float kept = upper ? values[i + kHalf] : values[i];
    values[i] = kept + of_other_lane(given, kHalf);
  }
  if constexpr (kHalf > 1) return sums_to_lanes<kCount, kHalf / 2>(values, lane);
  return kCount == 32 ? values[0] : values[0] + of_other_lane(values[0], 16);
}

// Some columns of the contexts or of the factors; the column after the last one is all ones.
struct Columns {
  const float* tiles;  // of the first of all columns of this kind
  int first, count;    // count: all columns of this kind, without the ones
  int tile_floats;

  // Returns the numbers of four rows.
  __device__ float4 at(int tile, int row, int c) const {
    if (first + c < count)
      return *reinterpret_cast<const float4*>(tiles + tile * tile_floats + (first + c) * kTile +
                                              row);
    const float same = first + c == count ? 1.0F : 0.0F;
    return {same, same, same, same};
  }
};

// The columns whose sums a warp has in registers: 16 or 32 sums are exchanged between the lanes.
constexpr int columns_at_once(int num_experts) { return num_experts == 5 ? 3 : 4; }

// Adds derivatives times columns, over all rows of some tiles, to the block's sums. `sums` has
// count + 1 sums for each of the K functions.
template <int K>
__device__ void add_products(const float* derivatives, const Columns& columns, int num_tiles,
                             double* sums) {
  constexpr int kColumns = columns_at_once(K);
  constexpr int kRowsAtOnce = kTile / 32;
  static_assert(kRowsAtOnce == 4);
  const int lane = threadIdx.x % 32;
  float products[kColumns * K <= 16 ? 16 : 32] = {};
  for (int tile = 0; tile < num_tiles; ++tile) {
    float4 by[K];
#pragma unroll
    for (int k = 0; k < K; ++k)
      by[k] = *reinterpret_cast<const float4*>(derivatives + k * kThreads + tile * kTile +
                                               lane * kRowsAtOnce);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const float4 x = columns.at(tile, lane * kRowsAtOnce, c);
#pragma unroll
      for (int k = 0; k < K; ++k) {
        float& sum = products[c * K + k];
        sum = fmaf(by[k].x, x.x, sum);
        sum = fmaf(by[k].y, x.y, sum);
        sum = fmaf(by[k].z, x.z, sum);
        sum = fmaf(by[k].w, x.w, sum);
      }
    }
  }
  const float sum = sums_to_lanes(products, lane);
  const int c = columns.first + lane / K;
  if (lane < kColumns * K && c <= columns.count) sums[lane % K * (columns.count + 1) + c] += sum;
}

// Divides the columns among the warps.
template <int K>
__device__ void add_all_products(const LeapfrogPass& pass, const RowMemory& memory, int first_tile,
                                 int num_tiles) {
  constexpr int kColumns = columns_at_once(K);
  const int p = pass.layout.num_contexts, J = pass.layout.num_factors;
  const int of_contexts = p / kColumns + 1, of_factors = J / kColumns + 1;
  const float* const tiles = memory.tiles + first_tile * (p + J) * kTile;
  for (int part = threadIdx.x / 32; part < of_contexts + of_factors; part += kLeapfrogWarps) {
    if (part < of_contexts)
      add_products<K>(memory.derivatives, {tiles, part * kColumns, p, (p + J) * kTile}, num_tiles,
                      memory.sums);
    else
      add_products<K>(memory.derivatives + K * kThreads,
                      {tiles + p * kTile, (part - of_contexts) * kColumns, J, (p + J) * kTile},
                      num_tiles, memory.sums + K * (p + 1));
  }
}

// Copies tiles into shared memory.
__device__ inline void read_tiles(const LeapfrogPass& pass, const RowMemory& memory, int tile,
                                  int count) {
  const int num_columns = pass.layout.num_contexts + pass.layout.num_factors;
  __syncthreads();  // the tiles before are not needed any more
  copy_floats(memory.tiles, pass.features + static_cast<std::size_t>(tile) * num_columns * kTile,
              count * num_columns * kTile);
  copy_floats(memory.signed_weights, pass.signed_weights + tile * kTile, count * kTile);
  end_batch();
  wait_for_batches<0>();
  __syncthreads();
}

// Adds the products of derivatives, one row per thread, and columns to the block's sums.
template <int K>
__device__ void add_rows_of_threads(const LeapfrogPass& pass, const RowMemory& memory, int tile,
                                    int num_tiles, const RowValues<K>& derivatives) {
#pragma unroll
  for (int v = 0; v < 2 * K; ++v)
    memory.derivatives[v * kThreads + threadIdx.x] = derivatives.of[v];
  __syncthreads();
  add_all_products<K>(pass, memory, tile, min(num_tiles - tile, kTilesOfThreads));
  __syncthreads();
}

// Adds up the gradient and the loss of tiles in shared memory, with up to kRows rows per thread.
template <int K, int kRows>
__device__ void add_some_tiles(const LeapfrogPass& pass, const RowMemory& memory, int first,
                               int num_tiles, CarefulSum& loss) {
  RowValues<K> rows[kRows];
  work_on_rows<K, kRows>(pass, memory, first + static_cast<int>(threadIdx.x) / kTile, num_tiles,
                         rows, loss);
#pragma unroll
  for (int row = 0; row < kRows; ++row)
    add_rows_of_threads<K>(pass, memory, first + row * kTilesOfThreads, num_tiles, rows[row]);
}

template <int K>
__device__ void add_tiles(const LeapfrogPass& pass, const RowMemory& memory, int num_tiles,
                          CarefulSum& loss) {
  for (int first = 0; first < num_tiles; first += 2 * kTilesOfThreads) {
    if (num_tiles - first > kTilesOfThreads) {
      add_some_tiles<K, 2>(pass, memory, first, num_tiles, loss);
    } else {
      add_some_tiles<K, 1>(pass, memory, first, num_tiles, loss);
    }
  }
}

// Returns a number as a whole one (LeapfrogPass::wholes_per_unit).
__device__ inline long long to_whole(const LeapfrogPass& pass, double number) {
  return llrint(fmin(fmax(number * pass.wholes_per_unit, -pass.largest_whole), pass.largest_whole));
}

// Adds the block's sums to those of the others. `loss` is the thread's. If a sum is not finite, neither is
// the loss: no whole number says so.
__device__ inline void hand_in(const LeapfrogPass& pass, const RowMemory& memory, double loss,
                               unsigned step) {
  bool is_finite = true;
  for (int i = threadIdx.x; i < pass.size(); i += kThreads) {
    const double sum = memory.sums[i];
    is_finite &= static_cast<bool>(isfinite(sum));
    const auto whole = static_cast<unsigned long long>(to_whole(pass, sum));
    atomicAdd(pass.totals + i, (whole << kCountBits) + 1);
  }
  if (!is_finite) loss = INFINITY;
  const double sum = sum_of_block(loss, memory.warp_losses);
  if (threadIdx.x > 0) return;
  const auto high = static_cast<float>(sum);
  const auto low = isfinite(high) ? static_cast<float>(sum - high) : 0.0F;
  tell(pass.losses + 2 * blockIdx.x, {high, step});
  tell(pass.losses + 2 * blockIdx.x + 1, {low, step});
}

// Adds up the gradient of the block's rows wherever the chain goes.
template <int K>
__device__ void follow_with_rows(const LeapfrogPass& pass, double* shared) {
  const RowMemory memory(pass, shared);
  const int begin = blockIdx.x * pass.tiles_per_block;
  const int end = min(pass.num_tiles, begin + pass.tiles_per_block);
  const bool stays = pass.tiles_per_block <= pass.tiles_at_once;
  if (stays) read_tiles(pass, memory, begin, end - begin);
  for (unsigned step = pass.steps_done + 1;; ++step) {
    for (int i = threadIdx.x; i < in_fours(pass.size()); i += kThreads) memory.sums[i] = 0;
    if (!read_coefficients<K>(pass, step, memory.coefficients)) return;
    CarefulSum loss;
    for (int tile = begin; tile < end; tile += pass.tiles_at_once) {
      const int count = min(pass.tiles_at_once, end - tile);
      if (!stays) read_tiles(pass, memory, tile, count);
      add_tiles<K>(pass, memory, count, loss);
    }
    hand_in(pass, memory, loss.value(), step);
  }
}

}  // namespace otss::internal::cuda
