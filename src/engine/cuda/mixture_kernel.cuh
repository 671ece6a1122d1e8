// Computes the loss of the mixture and its gradient in one reading of the rows, on a GPU, in f32.
//
// A warp works on 32 rows at a time; each lane holds one row. A team of 1, 2, 4 or 8 warps works on
// the same rows and divides the columns of the log among its warps:
//
//   copy       each warp copies its own columns into a ring of slots in shared memory; the copies of
//              the next rows run while the present ones are worked on
//   forward    each warp computes what its columns add to the 2K values of a row: K-1 gate scores
//              and the baseline from the contexts, the scores of the K experts from the factors
//   exchange   the warps of a team add up these parts, in the order of the warps
//   mix        computes the loss of the row and its derivatives by the 2K values
//   backward   multiplies the derivatives by the warp's columns; the sums stay in registers
//
// Registers limit how many sums a lane can keep, and so how many columns a warp can have; this is
// why columns are divided among warps. Columns are handled in blocks of four. Which blocks are
// contexts and which are factors is known only at run time; a block is unrolled code, and the next
// block's columns are loaded before they are needed.
//
// Which rows a team works on depends only on the number of rows and of multiprocessors, and every
// sum is taken in a fixed order, so two runs give the same bits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "data/log/tile_matrix.hpp"

namespace otss::internal::cuda {

inline constexpr int kWarpRows = 32;
inline constexpr int kBlockColumns = 4;
inline constexpr int kWarps = 8;  // of a thread block; one thread block per multiprocessor
// The slots of a ring: rows that are being copied or worked on. The rings of all warps share 227 KB.
template <int K>
inline constexpr int kStages = K <= 2 ? 3 : 4;
inline constexpr int kMaxFastExperts = 8;
// A lane adds this many rows in f32 before their sum is added to an f64 total.
inline constexpr int kRowsPerSum = 2048;

// How many blocks of columns a warp can have: about 160 sums fit into the registers of a lane.
template <int K>
inline constexpr int kBlocks = K <= 2   ? 16
                               : K == 3 ? 12
                               : K <= 5 ? 40 / K
                               : K == 6 ? 6
                                        : 5;

// The columns of one warp of a team.
struct WarpColumns {
  int first_context = 0, num_contexts = 0;
  int first_factor = 0, num_factors = 0;  // first_factor counts all columns of the matrix

  constexpr int context_blocks() const {
    return (num_contexts + kBlockColumns - 1) / kBlockColumns;
  }
  constexpr int factor_blocks() const { return (num_factors + kBlockColumns - 1) / kBlockColumns; }
  constexpr int blocks() const { return context_blocks() + factor_blocks(); }
};

// The arguments of a kernel, which the card keeps in constant memory: the coefficients are operands
// of the multiply-adds and need no load.
template <int K>
struct MixturePass {
  const float* features;        // TileMatrix
  const float* signed_weights;  // SignedWeights
  const std::uint32_t* tiles;   // the tiles to read; null: all
  std::uint64_t num_tiles;
  int num_columns;  // of the matrix
  double* sums;     // [team][gradient of the padded columns, constants, loss]: see sum_of_lane()
  WarpColumns warps[kWarps];
  float constants[2 * K];  // intercepts of gate scores, of the baseline, of the experts
  float coefficients[kWarps][kBlocks<K>][kBlockColumns][K];
};

// The number of f64 sums that one warp writes: K for each of its columns, 2K constants, the loss.
template <int K>
inline constexpr int kSumsPerWarp = kBlocks<K>* kBlockColumns* K + 2 * K + 1;

// Starts the pass with `team` warps per team (1, 2, 4 or 8).
template <int K>
cudaError_t launch_pass(const MixturePass<K>& pass, int team, int num_blocks, cudaStream_t stream);

}  // namespace otss::internal::cuda
