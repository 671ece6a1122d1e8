// One step of a leapfrog on a GPU, in one kernel: the gradient of the posterior at theta, in f32 over
// the rows, then the change of velocity and theta, in f64. The host starts the kernels of a trajectory
// one after the other and does not wait between them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

inline constexpr int kLeapfrogThreads = 384;  // of a thread block: one for each row of three tiles
inline constexpr int kMostChainExperts = 8;

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

// The changing numbers of a chain, in one array on the card: theta, velocity, the shape and the rate
// of each group's strength, then these.
enum ChainNumber { kStepSize, kFirstValue, kLastValue, kNotFinite, kNumChainNumbers };

struct ChainState {
  double* numbers = nullptr;
  int size = 0;  // of theta
  int num_groups = 0;

  __host__ __device__ double* theta() const { return numbers; }
  __host__ __device__ double* velocity() const { return numbers + size; }
  __host__ __device__ double* laws() const { return numbers + 2 * size; }
  __host__ __device__ double& number(ChainNumber which) const {
    return numbers[2 * (size + num_groups) + which];
  }
  __host__ __device__ std::size_t count() const {
    return 2 * static_cast<std::size_t>(size + num_groups) + kNumChainNumbers;
  }
};

// Pointers are to memory of the card.
struct LeapfrogStep {
  MixtureLayout layout;
  const float* features = nullptr;        // TileMatrix
  const float* signed_weights = nullptr;  // SignedWeights
  int num_tiles = 0;
  int tiles_per_block = 0;
  int tiles_at_once = 0;  // tiles of a block that are in shared memory at the same time
  PriorTable prior;
  const double* whitener = nullptr;    // L^-1, row after row
  const double* transposed = nullptr;  // L^-T, row after row
  ChainState state;
  double* partial = nullptr;       // [block][size of theta + 1]: the gradient, then the loss
  unsigned* num_done = nullptr;    // blocks that have written their sums; 0 before and after a step
  double kick = 1;                 // the part of a step by which the velocity changes
  bool moves = true;               // theta changes too
  ChainNumber value = kLastValue;  // where the objective goes

  __host__ __device__ int size() const { return state.size; }  // of theta
  __host__ __device__ int num_blocks() const {
    return (num_tiles + tiles_per_block - 1) / tiles_per_block;
  }
};

// Divides the tiles among the multiprocessors. Returns false if one tile does not fit into shared
// memory.
bool divide_tiles(LeapfrogStep& step, int num_multiprocessors);

cudaError_t launch_leapfrog(const LeapfrogStep& step, cudaStream_t stream);

}  // namespace otss::internal::cuda
