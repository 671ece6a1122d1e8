// Every thread block adds up the gradient over its share of the rows: a log of 100,000 rows fits into
// the shared memory of all blocks. The block that is done last adds the blocks' sums in their order
// and moves the chain. So one kernel is one step, and two runs give the same bits.
#include <algorithm>

#include "data/log/tile_matrix.hpp"
#include "engine/cuda/kernel_shape.hpp"
#include "engine/cuda/row_mixture.cuh"
#include "engine/cuda/warp.cuh"
#include "learn/posterior/cuda/leapfrog_kernel.cuh"
#include "learn/posterior/cuda/leapfrog_sums.cuh"

namespace otss::internal::cuda {
namespace {

constexpr int kTile = static_cast<int>(kTileRows);
constexpr int kThreads = kLeapfrogThreads;
constexpr int kWarps = kThreads / 32;
constexpr int kTilesOfThreads = kThreads / kTile;
constexpr int kColumnsAtOnce = 4;  // columns whose sums a warp has in registers

// Coefficients of a column are padded, so that a thread loads four at a time.
__host__ __device__ constexpr int padded(int num_experts) { return (num_experts + 3) / 4 * 4; }

// The shared memory of a block while it adds up its rows. All parts begin at multiples of 16 bytes.
struct RowMemory {
  double* sums;         // [size of theta + 1]
  double* warp_losses;  // [kWarps]
  float* coefficients;  // [p + 1 contexts, J + 1 factors][padded(K)]; the last of both: intercepts
  float* derivatives;   // [2K][kThreads]
  float* tiles;         // [tile][column][row]
  float* signed_weights;  // [tile][row]

  __device__ RowMemory(const LeapfrogStep& step, double* shared) {
    const MixtureLayout& layout = step.layout;
    const int num_columns = layout.num_contexts + layout.num_factors;
    sums = shared;
    warp_losses = sums + (step.size() + 2) / 2 * 2;
    coefficients = reinterpret_cast<float*>(warp_losses + kWarps);
    derivatives = coefficients + (num_columns + 2) * padded(layout.num_experts);
    tiles = derivatives + 2 * layout.num_experts * kThreads;
    signed_weights = tiles + step.tiles_at_once * num_columns * kTile;
  }
};

// The shared memory of the last block while it moves the chain.
struct MoveMemory {
  double *total, *theta, *velocity, *change;  // [size of theta + 1]
  double* strengths;                          // [group]
  double* scratch;                            // [warp][size of theta + 1]

  __device__ MoveMemory(const LeapfrogStep& step, double* shared) {
    const int size = step.size() + 1;
    total = shared;
    theta = total + size;
    velocity = theta + size;
    change = velocity + size;
    strengths = change + size;
    scratch = strengths + step.prior.num_groups;
  }
};

std::size_t bytes_of_move(const LeapfrogStep& step) {
  return ((kWarps + 4) * (step.size() + 1) + step.prior.num_groups) * sizeof(double);
}

std::size_t bytes_of_rows(const LeapfrogStep& step, int num_tiles) {
  const MixtureLayout& layout = step.layout;
  const std::size_t num_columns = layout.num_contexts + layout.num_factors;
  return ((step.size() + 2) / 2 * 2 + kWarps) * sizeof(double) +
         ((num_columns + 2) * padded(layout.num_experts) + 2 * layout.num_experts * kThreads +
          num_tiles * (num_columns + 1) * kTile) *
             sizeof(float);
}

// Reads theta into the order of the coefficients.
template <int K>
__device__ void read_coefficients(const LeapfrogStep& step, float* coefficients) {
  const int p = step.layout.num_contexts, J = step.layout.num_factors;
  const double* const theta = step.state.theta();
  for (int i = threadIdx.x; i < (p + J + 2) * K; i += kThreads) {
    const int c = i / K, k = i % K;
    const double value =
        c <= p ? theta[k * (p + 1) + c] : theta[K * (p + 1) + k * (J + 1) + c - (p + 1)];
    coefficients[c * padded(K) + k] = static_cast<float>(value);
  }
}

// Starts copies of whole tiles, or of the weights of whole tiles, into shared memory.
__device__ void copy_floats(float* to, const float* from, int count) {
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
__device__ void work_on_row(const LeapfrogStep& step, const RowMemory& memory, int tile, int row,
                            CarefulSum& loss) {
  const int p = step.layout.num_contexts, J = step.layout.num_factors;
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
__device__ void add_all_products(const LeapfrogStep& step, const RowMemory& memory, int first_tile,
                                 int num_rows) {
  const int p = step.layout.num_contexts, J = step.layout.num_factors;
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

// Adds up the gradient and the loss of the block's rows.
template <int K>
__device__ void add_rows_of_block(const LeapfrogStep& step, const RowMemory& memory) {
  const int num_columns = step.layout.num_contexts + step.layout.num_factors;
  const int end = min(step.num_tiles, static_cast<int>(blockIdx.x + 1) * step.tiles_per_block);
  CarefulSum loss;
  for (int tile = blockIdx.x * step.tiles_per_block; tile < end; tile += step.tiles_at_once) {
    const int count = min(step.tiles_at_once, end - tile);
    __syncthreads();  // the tiles before are not needed any more
    copy_floats(memory.tiles, step.features + static_cast<std::size_t>(tile) * num_columns * kTile,
                count * num_columns * kTile);
    copy_floats(memory.signed_weights, step.signed_weights + tile * kTile, count * kTile);
    end_batch();
    wait_for_batches<0>();
    __syncthreads();
    for (int first = 0; first < count; first += kTilesOfThreads) {
      const int own = first + static_cast<int>(threadIdx.x) / kTile;
      if (own < count) work_on_row<K>(step, memory, own, threadIdx.x % kTile, loss);
      __syncthreads();
      add_all_products<K>(step, memory, first, min(kTilesOfThreads, count - first) * kTile);
      __syncthreads();
    }
  }
  const double sum = sum_of_lanes(loss.value());
  if (threadIdx.x % 32 == 0) memory.warp_losses[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  double& total = memory.sums[step.size()];
  for (int w = 0; w < kWarps; ++w) total += memory.warp_losses[w];
}

// Adds the prior to the gradient and the loss in memory.total (LearnedPenalty::add).
__device__ void add_prior(const LeapfrogStep& step, const MoveMemory& memory) {
  const PriorTable& prior = step.prior;
  double* const sums = memory.scratch;                       // [column]
  double* const forms = memory.scratch + prior.num_columns;  // [column], later the groups' values
  for (int i = threadIdx.x; i < prior.num_columns; i += kThreads) {
    const PriorColumn column = prior.columns[i];
    double sum = 0, squares = 0;
    for (int k = 0; k < column.count; ++k) {
      const double value = memory.theta[column.first + k * column.stride];
      sum += value;
      squares += value * value;
    }
    sums[i] = column.shared * sum;
    forms[i] = column.diagonal * squares - column.shared * sum * sum;
  }
  __syncthreads();
  double* const values = forms + prior.num_columns;  // [group]
  const double* const laws = step.state.laws();
  for (int g = threadIdx.x; g < prior.num_groups; g += kThreads) {
    double form = 0;
    for (int i = prior.group_begin[g]; i < prior.group_begin[g + 1]; ++i) form += forms[i];
    const double shape = laws[2 * g], rate = laws[2 * g + 1] + 0.5 * form;
    memory.strengths[g] = shape / rate;
    values[g] = shape * log(rate);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < step.size(); i += kThreads) {
    for (int which = 0; which < 2; ++which) {
      const int at = prior.columns_of[2 * i + which];
      if (at < 0) continue;
      const PriorColumn column = prior.columns[at];
      memory.total[i] +=
          memory.strengths[column.group] * (column.diagonal * memory.theta[i] - sums[at]);
    }
  }
  if (threadIdx.x == 0)
    for (int g = 0; g < prior.num_groups; ++g) memory.total[step.size()] += values[g];
  __syncthreads();
}

// Adds up the sums of all blocks, then changes velocity and theta.
__device__ void move_chain(const LeapfrogStep& step, const MoveMemory& memory) {
  const ChainState& state = step.state;
  const int size = step.size();
  for (int i = threadIdx.x; i < size; i += kThreads) {
    memory.theta[i] = state.theta()[i];
    memory.velocity[i] = state.velocity()[i];
  }
  add_rows<NonZero::kAll, kThreads>(step.partial, gridDim.x, size + 1, nullptr, memory.scratch,
                                    memory.total);
  add_prior(step, memory);
  const double length = state.number(kStepSize);
  add_rows<NonZero::kUpper, kThreads>(step.transposed, size, size, memory.total, memory.scratch,
                                      memory.change);
  for (int i = threadIdx.x; i < size; i += kThreads) {
    memory.velocity[i] -= step.kick * length * memory.change[i];
    state.velocity()[i] = memory.velocity[i];
  }
  if (threadIdx.x == 0) {
    const double value = memory.total[size];
    state.number(step.value) = value;
    if (!isfinite(value)) state.number(kNotFinite) = 1;
    *step.num_done = 0;
  }
  __syncthreads();
  if (!step.moves) return;
  add_rows<NonZero::kLower, kThreads>(step.whitener, size, size, memory.velocity, memory.scratch,
                                      memory.change);
  for (int i = threadIdx.x; i < size; i += kThreads)
    state.theta()[i] = memory.theta[i] + length * memory.change[i];
}

// Writes the block's sums. Returns true, to all threads, in the block that is done last.
__device__ bool hand_in(const LeapfrogStep& step, const double* sums) {
  double* const own = step.partial + static_cast<std::size_t>(blockIdx.x) * (step.size() + 1);
  for (int i = threadIdx.x; i <= step.size(); i += kThreads) own[i] = sums[i];
  __threadfence();
  __syncthreads();
  __shared__ bool is_last;
  if (threadIdx.x == 0) is_last = atomicAdd(step.num_done, 1U) + 1 == gridDim.x;
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

template <int K>
__global__ void __launch_bounds__(kThreads, 2) leapfrog(const __grid_constant__ LeapfrogStep step) {
  extern __shared__ double shared[];
  const RowMemory memory(step, shared);
  for (int i = threadIdx.x; i <= step.size(); i += kThreads) memory.sums[i] = 0;
  read_coefficients<K>(step, memory.coefficients);
  add_rows_of_block<K>(step, memory);
  __syncthreads();
  if (!hand_in(step, memory.sums)) return;
  move_chain(step, MoveMemory(step, shared));
}

template <int K>
cudaError_t launch(const LeapfrogStep& step, cudaStream_t stream) {
  const std::size_t bytes = std::max(bytes_of_rows(step, step.tiles_at_once), bytes_of_move(step));
  const cudaError_t set = cudaFuncSetAttribute(
      leapfrog<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (set != cudaSuccess) return set;
  leapfrog<K><<<step.num_blocks(), kThreads, bytes, stream>>>(step);
  return cudaGetLastError();
}

template <int K = 1>
cudaError_t launch_for(const LeapfrogStep& step, cudaStream_t stream) {
  if (step.layout.num_experts == K) return launch<K>(step, stream);
  if constexpr (K < kMostChainExperts) return launch_for<K + 1>(step, stream);
  return cudaErrorInvalidValue;
}

}  // namespace

bool divide_tiles(LeapfrogStep& step, int num_multiprocessors) {
  // Two blocks of different chains share a multiprocessor.
  constexpr std::size_t kMostBytes = kMostSharedBytes / 2 - 1024;
  step.tiles_per_block = (step.num_tiles + num_multiprocessors - 1) / num_multiprocessors;
  step.tiles_at_once = 0;
  while (step.tiles_at_once < step.tiles_per_block &&
         bytes_of_rows(step, step.tiles_at_once + 1) <= kMostBytes)
    ++step.tiles_at_once;
  return step.tiles_at_once > 0 && bytes_of_move(step) <= kMostBytes;
}

cudaError_t launch_leapfrog(const LeapfrogStep& step, cudaStream_t stream) {
  return launch_for(step, stream);
}

}  // namespace otss::internal::cuda
