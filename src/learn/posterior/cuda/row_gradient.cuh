// The gradient and the loss of a thread block's rows. A log of 100,000 rows fits into the shared memory of
// all blocks, and stays there for a whole trajectory.
#pragma once

#include "data/log/tile_matrix.hpp"
#include "engine/cuda/row_mixture.cuh"
#include "engine/cuda/warp.cuh"
#include "learn/posterior/cuda/block_signal.cuh"
#include "learn/posterior/cuda/block_sums.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"

namespace otss::internal::cuda {

inline constexpr int kTile = static_cast<int>(kTileRows);
inline constexpr int kThreads = kLeapfrogThreads;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kTilesOfThreads = kThreads / kTile;
inline constexpr int kColumnsAtOnce = 4;  // columns whose sums a warp has in registers

// Coefficients of a column are padded, so that a thread loads four at a time.
__host__ __device__ constexpr int padded(int num_experts) { return (num_experts + 3) / 4 * 4; }

// The shared memory of a block while it adds up its rows. All parts begin at multiples of 16 bytes.
struct RowMemory {
  double* sums;         // [size of theta + 1, in pairs]
  double* warp_losses;  // [kWarps]
  float* coefficients;  // [p + 1 contexts, J + 1 factors][padded(K)]; the last of both: intercepts
  float* derivatives;   // [2K][kThreads]
  float* tiles;         // [tile][column][row]
  float* signed_weights;  // [tile][row]

  __device__ RowMemory(const LeapfrogPass& pass, double* shared) {
    const MixtureLayout& layout = pass.layout;
    const int num_columns = layout.num_contexts + layout.num_factors;
    sums = shared;
    warp_losses = sums + paired(pass.size() + 1);
    coefficients = reinterpret_cast<float*>(warp_losses + kWarps);
    derivatives = coefficients + (num_columns + 2) * padded(layout.num_experts);
    tiles = derivatives + 2 * layout.num_experts * kThreads;
    signed_weights = tiles + pass.tiles_at_once * num_columns * kTile;
  }
};

inline std::size_t bytes_of_rows(const LeapfrogPass& pass, int num_tiles) {
  const MixtureLayout& layout = pass.layout;
  const std::size_t num_columns = layout.num_contexts + layout.num_factors;
  return (paired(pass.size() + 1) + kWarps) * sizeof(double) +
         ((num_columns + 2) * padded(layout.num_experts) + 2 * layout.num_experts * kThreads +
          num_tiles * (num_columns + 1) * kTile) *
             sizeof(float);
}

// Reads theta into the order of the coefficients.
template <int K>
__device__ void read_coefficients(const LeapfrogPass& pass, float* coefficients) {
  const int p = pass.layout.num_contexts, J = pass.layout.num_factors;
  const double* const theta = pass.state.theta();
  for (int i = threadIdx.x; i < (p + J + 2) * K; i += kThreads) {
    const int c = i / K, k = i % K;
    const double value = c <= p
                             ? load_shared_by_all(theta + k * (p + 1) + c)
                             : load_shared_by_all(theta + K * (p + 1) + k * (J + 1) + c - (p + 1));
    coefficients[c * padded(K) + k] = static_cast<float>(value);
  }
}

// Starts copies of whole tiles, or of the weights of whole tiles, into shared memory.
__device__ inline void copy_floats(float* to, const float* from, int count) {
  for (int i = threadIdx.x * 4; i < count; i += kThreads * 4)
    copy_16_bytes<0, 0>(shared_address(to + i), from + i);
}

// Adds K coefficients times `x` to `values`.
template <int K>
__device__ void add_column(const float* coefficients, float x, float* values) {
  float own[padded(K)];
#pragma unroll
  for (int k = 0; k < padded(K); k += 4)
    *reinterpret_cast<float4*>(own + k) = *reinterpret_cast<const float4*>(coefficients + k);
#pragma unroll
  for (int k = 0; k < K; ++k) values[k] = fmaf(own[k], x, values[k]);
}

// Computes the derivatives of one row's loss. `tile` is in shared memory.
template <int K>
__device__ void work_on_row(const LeapfrogPass& pass, const RowMemory& memory, int tile, int row,
                            CarefulSum& loss) {
  const int p = pass.layout.num_contexts, J = pass.layout.num_factors;
  const float* const columns = memory.tiles + tile * (p + J) * kTile + row;
  const float* const experts = memory.coefficients + (p + 1) * padded(K);
  float values[2 * K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    values[k] = memory.coefficients[p * padded(K) + k];
    values[K + k] = experts[J * padded(K) + k];
  }
#pragma unroll 4
  for (int c = 0; c < p; ++c)
    add_column<K>(memory.coefficients + c * padded(K), columns[c * kTile], values);
#pragma unroll 2
  for (int j = 0; j < J; ++j)
    add_column<K>(experts + j * padded(K), columns[(p + j) * kTile], values + K);
  mix<K>(memory.signed_weights[tile * kTile + row], values, loss);
#pragma unroll
  for (int v = 0; v < 2 * K; ++v) memory.derivatives[v * kThreads + threadIdx.x] = values[v];
}

// Returns to lane i the sum of values[i] over the lanes. The lanes exchange halves of their values.
template <int kHalf = 16>
__device__ float sums_to_lanes(float (&values)[32], int lane) {
  const bool upper = (lane & kHalf) != 0;
#pragma unroll
  for (int i = 0; i < kHalf; ++i) {
    const float given = upper ? values[i] : values[i + kHalf];
    const float kept = upper ? values[i + kHalf] : values[i];
    values[i] = kept + of_other_lane(given, kHalf);
  }
  if constexpr (kHalf > 1) return sums_to_lanes<kHalf / 2>(values, lane);
  return values[0];
}

// Some columns of the contexts or of the factors; the column after the last one is all ones.
struct Columns {
  const float* tiles;  // of the first of all columns of this kind
  int first, count;    // count: all columns of this kind, without the ones
  int tile_floats;

  __device__ float at(int row, int c) const {
    if (first + c < count)
      return tiles[row / kTile * tile_floats + (first + c) * kTile + row % kTile];
    return first + c == count ? 1.0F : 0.0F;
  }
};

// Adds derivatives times columns, over all rows that the threads have worked on, to the block's sums.
// `sums` has count + 1 sums for each of the K functions.
template <int K>
__device__ void add_products(const float* derivatives, const Columns& columns, int num_rows,
                             double* sums) {
  const int lane = threadIdx.x % 32;
  float products[32] = {};
  for (int row = lane; row < num_rows; row += 32) {
    float by[K];
#pragma unroll
    for (int k = 0; k < K; ++k) by[k] = derivatives[k * kThreads + row];
#pragma unroll
    for (int c = 0; c < kColumnsAtOnce; ++c) {
      const float x = columns.at(row, c);
#pragma unroll
      for (int k = 0; k < K; ++k) products[c * K + k] = fmaf(by[k], x, products[c * K + k]);
    }
  }
  const float sum = sums_to_lanes(products, lane);
  const int c = columns.first + lane / K;
  if (lane < kColumnsAtOnce * K && c <= columns.count)
    sums[lane % K * (columns.count + 1) + c] += sum;
}

// Divides the columns among the warps.
template <int K>
__device__ void add_all_products(const LeapfrogPass& pass, const RowMemory& memory, int first_tile,
                                 int num_rows) {
  const int p = pass.layout.num_contexts, J = pass.layout.num_factors;
  const int of_contexts = p / kColumnsAtOnce + 1, of_factors = J / kColumnsAtOnce + 1;
  const float* const tiles = memory.tiles + first_tile * (p + J) * kTile;
  for (int part = threadIdx.x / 32; part < of_contexts + of_factors; part += kWarps) {
    if (part < of_contexts)
      add_products<K>(memory.derivatives, {tiles, part * kColumnsAtOnce, p, (p + J) * kTile},
                      num_rows, memory.sums);
    else
      add_products<K>(
          memory.derivatives + K * kThreads,
          {tiles + p * kTile, (part - of_contexts) * kColumnsAtOnce, J, (p + J) * kTile}, num_rows,
          memory.sums + K * (p + 1));
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

// Adds up the gradient and the loss of tiles in shared memory.
template <int K>
__device__ void add_tiles(const LeapfrogPass& pass, const RowMemory& memory, int count,
                          CarefulSum& loss) {
  for (int first = 0; first < count; first += kTilesOfThreads) {
    const int own = first + static_cast<int>(threadIdx.x) / kTile;
    if (own < count) work_on_row<K>(pass, memory, own, threadIdx.x % kTile, loss);
    __syncthreads();
    add_all_products<K>(pass, memory, first, min(kTilesOfThreads, count - first) * kTile);
    __syncthreads();
  }
}

// The loss of all threads is added to the block's sums.
__device__ inline void add_loss(const LeapfrogPass& pass, const RowMemory& memory,
                                const CarefulSum& loss) {
  const double sum = sum_of_lanes(loss.value());
  if (threadIdx.x % 32 == 0) memory.warp_losses[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  double& total = memory.sums[pass.size()];
  for (int w = 0; w < kWarps; ++w) total += memory.warp_losses[w];
}

// Writes the block's sums.
__device__ inline void hand_in(const LeapfrogPass& pass, const double* sums) {
  double* const own = pass.partial + static_cast<std::size_t>(blockIdx.x) * paired(pass.size() + 1);
  for (int i = threadIdx.x; i < paired(pass.size() + 1); i += kThreads) own[i] = sums[i];
}

// Adds up the gradient of the block's rows at each theta of a trajectory.
template <int K>
__device__ void follow_with_rows(const LeapfrogPass& pass, double* shared) {
  const RowMemory memory(pass, shared);
  const int begin = blockIdx.x * pass.tiles_per_block;
  const int end = min(pass.num_tiles, begin + pass.tiles_per_block);
  const bool stays = pass.tiles_per_block <= pass.tiles_at_once;
  if (stays) read_tiles(pass, memory, begin, end - begin);
  for (int step = 0; step <= pass.num_steps; ++step) {
    wait_for_signals(&pass.signals->moves, step);
    for (int i = threadIdx.x; i < paired(pass.size() + 1); i += kThreads) memory.sums[i] = 0;
    read_coefficients<K>(pass, memory.coefficients);
    __syncthreads();
    CarefulSum loss;
    for (int tile = begin; tile < end; tile += pass.tiles_at_once) {
      const int count = min(pass.tiles_at_once, end - tile);
      if (!stays) read_tiles(pass, memory, tile, count);
      add_tiles<K>(pass, memory, count, loss);
    }
    add_loss(pass, memory, loss);
    __syncthreads();
    hand_in(pass, memory.sums);
    signal_of_block(&pass.signals->sums);
  }
}

}  // namespace otss::internal::cuda
