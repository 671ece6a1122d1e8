// Trajectories of the leapfrog method on a GPU. One kernel follows many, one after the other. Most thread
// blocks add up the gradient over their rows, in f32; the last one moves the chain, in f64. The blocks and
// the host tell each other by numbers in memory that somebody waits for (block_signal.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

inline constexpr int kLeapfrogThreads = 384;  // of a thread block: one for each row of three tiles
inline constexpr int kLeapfrogWarps = kLeapfrogThreads / 32;
inline constexpr int kMostChainExperts = 8;

// Rows of matrices begin at multiples of 16 bytes, so that a thread loads four numbers at a time.
__host__ __device__ constexpr int in_fours(int num_columns) { return (num_columns + 3) / 4 * 4; }

// A PenaltyColumn (learned_penalty.hpp) as the kernel reads it.
struct PriorColumn {
  int group, first, stride, count;
  double diagonal, shared;
};

// The prior of a mixture. The columns are ordered by their group. Pointers are to memory of the card.
struct PriorTable {
  const PriorColumn* columns = nullptr;
  const int* group_begin =
      nullptr;                      // the first column of each group, and the number of all columns
  const int* columns_of = nullptr;  // the columns of each parameter, at most two; -1: none
  int num_columns = 0;
  int num_groups = 0;
};

enum ChainNumber {
  kStepSize,
  kNumSteps,
  kBeginning,  // a ChainBeginning
  kFirstValue,
  kLastValue,
  kStepsDone,  // LeapfrogPass::steps_done after this trajectory
  kNumChainNumbers
};

// Where a trajectory begins. The sums over the rows are known where the one before began or ended.
enum class ChainBeginning { kElsewhere, kLastBeginning, kLastEnd };

// The numbers of a chain, in one array of the host's memory, which the card reads at the beginning of a
// trajectory and writes at its end.
struct ChainState {
  double* numbers = nullptr;
  int size = 0;  // of theta
  int num_groups = 0;

  __host__ __device__ double* theta() const { return numbers; }
  // By how much theta changes in a step of size 1: L^-T u in the words of learn/posterior/leapfrog.hpp.
  __host__ __device__ double* speed() const { return numbers + size; }
  // The shape and the rate of each group's strength.
  __host__ __device__ double* laws() const { return numbers + 2 * size; }
  __host__ __device__ double& number(ChainNumber which) const {
    return laws()[2 * num_groups + which];
  }
  // The sum of the gradients, each times the part of a step for which it changed the velocity. The card
  // does not read it.
  __host__ __device__ double* impulse() const { return numbers + count_read(); }
  __host__ __device__ int count_read() const {
    return 2 * size + 2 * num_groups + kNumChainNumbers;
  }
  __host__ __device__ int count() const { return count_read() + size; }
};

// What host and card tell each other, in the host's memory. Trajectories and kernels are numbered from 1.
struct ChainMail {
  alignas(64) unsigned asked;     // the last trajectory whose beginning is in ChainState
  alignas(64) unsigned answered;  // the last trajectory whose end is there
  alignas(64) unsigned left;      // the last kernel that follows no more trajectories
};

// The sum of the blocks' gradients is a sum of whole numbers, so the order of the blocks does not matter.
// Its lowest bits count the blocks that have added to it; the other bits hold the sum.
inline constexpr int kCountBits = 10;
inline constexpr double kLargestWholeSum = 1LL << (63 - kCountBits);

// Pointers are to memory of the card, but for those of the state and of the mail.
struct LeapfrogPass {
  MixtureLayout layout;
  const float* features = nullptr;        // TileMatrix
  const float* signed_weights = nullptr;  // SignedWeights
  int num_tiles = 0;
  int tiles_per_block = 0;
  int tiles_at_once = 0;  // tiles of a block that are in shared memory at the same time
  PriorTable prior;
  const float* inverse = nullptr;  // [size][in_fours(size)]: (L L')^-1
  int inverse_rows_copied = 0;     // to the shared memory of the block that moves the chain
  ChainState state;
  ChainMail* mail = nullptr;
  unsigned long long* theta = nullptr;   // where the chain is, and the step (StepNumber)
  unsigned long long* totals = nullptr;  // of theta's size: sums of all gradients so far
  unsigned long long* losses = nullptr;  // [2][block]: of its rows, in two StepNumbers
  // The whole numbers in `totals` are gradients times this power of two. A block adds at most
  // `largest_whole`.
  double wholes_per_unit = 1, units_per_whole = 1, largest_whole = 0;
  unsigned kernel = 0;            // the number of this kernel
  unsigned first_trajectory = 0;  // the first that this kernel follows
  unsigned steps_done = 0;        // by all kernels before this one

  __host__ __device__ int size() const { return state.size; }  // of theta
  __host__ __device__ int num_row_blocks() const {
    return (num_tiles + tiles_per_block - 1) / tiles_per_block;
  }
};

// Divides the tiles among the multiprocessors. Returns false if one tile does not fit into shared
// memory.
bool divide_tiles(LeapfrogPass& pass, int num_multiprocessors);

cudaError_t launch_leapfrog(const LeapfrogPass& pass, cudaStream_t stream);

}  // namespace otss::internal::cuda
