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

// Numbers that host and card send each other, in the host's memory. A number is in two words of 8 bytes,
// which are written and read at once: each has half of its bits and the number of the trajectory that it
// belongs to. So whoever waits for a trajectory sees when all numbers have come. Trajectories count from 1.
struct ChainLetter {
  unsigned long long* words = nullptr;  // [2][count]
  int count = 0;
};

// The beginning of a trajectory, for the card:
//   theta, speed         [size of theta]: speed is by how much theta changes in a step of size 1, L^-T u in
//                        the words of learn/posterior/leapfrog.hpp
//   laws                 [group]: the shape and the rate of each strength
//   the size of a step, the number of steps
struct BeginLetter : ChainLetter {
  int size = 0, num_groups = 0;

  BeginLetter() = default;
  BeginLetter(int size, int num_groups)
      : ChainLetter{nullptr, 2 * size + 2 * num_groups + 2}, size(size), num_groups(num_groups) {}
  __host__ __device__ int speed() const { return size; }
  __host__ __device__ int laws() const { return 2 * size; }
  __host__ __device__ int step_size() const { return count - 2; }
  __host__ __device__ int num_steps() const { return count - 1; }
};

// Its end, for the host:
//   theta, impulse       [size of theta]: impulse is the sum of the gradients, each times the part of a step
//                        for which it changed the velocity
//   the values of the objective at the beginning and at the end
struct EndLetter : ChainLetter {
  int size = 0;

  EndLetter() = default;
  explicit EndLetter(int size) : ChainLetter{nullptr, 2 * size + 2}, size(size) {}
  __host__ __device__ int impulse() const { return size; }
  __host__ __device__ int first_value() const { return count - 2; }
  __host__ __device__ int last_value() const { return count - 1; }
};

// All blocks wait for theta at the same time, so there are copies of it in different places of the card's
// memory.
struct ThetaCopies {
  unsigned long long* words = nullptr;  // [copy][stride]: StepNumbers
  int num_copies = 1, stride = 0;
};

// The sum of the blocks' gradients is a sum of whole numbers, so the order of the blocks does not matter.
// Its lowest bits count the blocks that have added to it; the other bits hold the sum.
inline constexpr int kCountBits = 10;
inline constexpr double kLargestWholeSum = 1LL << (63 - kCountBits);

// All blocks add at the same time, so there are copies of the totals, of which each block uses one. The
// totals of two parameters are apart, because neighbours are added to one after the other.
struct TotalCopies {
  unsigned long long* words = nullptr;  // [copy][stride]
  int num_copies = 1, apart = 1, stride = 0;
};

// Pointers are to memory of the card, but for those of the letters and `left`.
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
  BeginLetter begin;
  EndLetter end;
  unsigned* left = nullptr;  // the last kernel that follows no more trajectories, counted from 1
  ThetaCopies theta;         // where the chain is
  TotalCopies totals;        // sums of all gradients so far
  unsigned long long* losses = nullptr;  // [step is odd][2][block]: of its rows, in two StepNumbers
  // The whole numbers in `totals` are gradients times this power of two. A block adds at most
  // `largest_whole`.
  double wholes_per_unit = 1, units_per_whole = 1, largest_whole = 0;
  unsigned kernel = 0;            // the number of this kernel
  unsigned first_trajectory = 0;  // the first that this kernel follows
  unsigned steps_done = 0;        // by all kernels before this one

  __host__ __device__ int size() const { return begin.size; }  // of theta
  __host__ __device__ int num_row_blocks() const {
    return (num_tiles + tiles_per_block - 1) / tiles_per_block;
  }
};

// Divides the tiles among the multiprocessors. Returns false if one tile does not fit into shared
// memory.
bool divide_tiles(LeapfrogPass& pass, int num_multiprocessors);

cudaError_t launch_leapfrog(const LeapfrogPass& pass, cudaStream_t stream);

}  // namespace otss::internal::cuda
