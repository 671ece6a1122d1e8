// Declares the input of a kernel, and the functions that return a kernel. This header is compiled
// into the object file of every instruction set, so it must not define inline functions that remain
// as symbols: the linker keeps one copy of each, and that copy may use instructions the processor
// lacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/log/tile_matrix.hpp"
#include "engine/precision.hpp"

namespace otss::internal {

// The input of a kernel: a list of tiles. The tiles need not be adjacent: a tile in which every row
// has weight 0 is left out.
struct MixtureChunk {
  const float* features;        // points to the first tile of the TileMatrix (contexts, factors)
  const float* signed_weights;  // points to the first tile of the SignedWeights
  const std::uint32_t* tiles;   // indices of the tiles to process
  std::size_t num_tiles;
  int num_contexts;  // p
  int num_factors;   // J
  int num_experts;   // K
  // Points to the first tile of the outcomes; null for bernoulli, where the sign of signed_weights
  // is the outcome.
  const float* outcomes = nullptr;
};

// Returns the chunk's loss and overwrites `gradient`; `theta` and `gradient` are in MixtureLayout's
// order. `workspace` has workspace_bytes() bytes and is aligned to 64 bytes.
using MixtureKernel = double (*)(const MixtureChunk& chunk, const double* theta, double* gradient,
                                 void* workspace);

// The largest number of experts that the fast kernels support; the reference kernel has no limit.
inline constexpr int kMaxFastExperts = 8;

// Returns the number of bytes that a kernel's workspace needs with the widest vectors: a vector of
// lane sums and an f64 copy for each parameter, and 2K f64 values for each row of a tile.
constexpr std::size_t workspace_bytes(std::size_t num_parameters, int num_experts) {
  constexpr std::size_t kWidestVector = 64;
  return (num_parameters + 1) * (kWidestVector + sizeof(double)) +
         2 * num_experts * kTileRows * sizeof(double);
}

// Each function returns the kernel of one instruction set for 1 … kMaxFastExperts experts.
// `unit_weights` is SignedWeights::unit().
namespace baseline {
MixtureKernel mixture_kernel(Precision precision, int num_experts, bool unit_weights);
}
namespace avx2 {
MixtureKernel mixture_kernel(Precision precision, int num_experts, bool unit_weights);
}
namespace avx512 {
MixtureKernel mixture_kernel(Precision precision, int num_experts, bool unit_weights);
}

}  // namespace otss::internal
