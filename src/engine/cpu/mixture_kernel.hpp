// Declares the input of a kernel, and the functions that return a kernel. The object files of all
// instruction sets include this header. So the header must not define an inline function that
// becomes a symbol: the linker would keep one copy, which may use instructions that the processor
// lacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/log/tile_matrix.hpp"
#include "engine/precision.hpp"

namespace otss::internal {

// The input of a kernel is a list of tiles. The list leaves out tiles in which every row has weight
// 0.
struct MixtureChunk {
  const float* features;        // the first tile of the TileMatrix; contexts come before factors
  const float* signed_weights;  // the first tile of the SignedWeights
  const std::uint32_t* tiles;   // indices of the tiles to process
  std::size_t num_tiles;
  int num_contexts;  // p
  int num_factors;   // J
  int num_experts;   // K
  // The first tile of the outcomes. This pointer is null for bernoulli, since the sign of
  // signed_weights is then the outcome.
  const float* outcomes = nullptr;
  // The first tile of the RowOffsets, or null if every offset is 0.
  const float* offsets = nullptr;
};

// Returns the chunk's loss and overwrites `gradient`. MixtureLayout defines the order of the
// entries of `theta` and `gradient`. `workspace` has workspace_bytes() bytes and is aligned to 64
// bytes.
using MixtureKernel = double (*)(const MixtureChunk& chunk, const double* theta, double* gradient,
                                 void* workspace);

// The fast kernels add their lane sums in f32 to totals in f64 after every 2048 rows. This keeps the
// rounding error of a sum close to the rounding error of a single row. So a kernel that is called
// for each 2048 rows gives sums whose total has the same bits as that of a single call.
inline constexpr std::size_t kTilesPerFlush = 2048 / kTileRows;

// The largest number of experts that the fast kernels support; the reference kernel has no limit.
inline constexpr int kMaxFastExperts = 8;

// Returns the number of bytes that a kernel's workspace needs with the widest vectors: a vector of
// lane sums and an f64 copy for each parameter, and 2K f64 values for each row of a tile.
constexpr std::size_t workspace_bytes(std::size_t num_parameters, int num_experts) {
  constexpr std::size_t kWidestVector = 64;
  return (num_parameters + 1) * (kWidestVector + sizeof(double)) +
         2 * num_experts * kTileRows * sizeof(double);
}

// The loss of a row as a function of eta. If every row has weight 0 or 1 (SignedWeights::unit()), the
// logistic loss needs fewer logarithms.
enum class RowLoss : std::uint8_t { kLogisticOfUnitWeights, kLogistic, kSquared };

// Each function returns the kernel of one instruction set for 1 … kMaxFastExperts experts.
namespace baseline {
MixtureKernel mixture_kernel(Precision precision, int num_experts, RowLoss loss);
}
namespace avx2 {
MixtureKernel mixture_kernel(Precision precision, int num_experts, RowLoss loss);
}
namespace avx512 {
MixtureKernel mixture_kernel(Precision precision, int num_experts, RowLoss loss);
}

}  // namespace otss::internal
