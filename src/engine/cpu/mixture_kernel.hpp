// What a kernel is given and how one is found. Plain data only: this header is compiled into every
// instruction set's object, where an inline function that the linker could share would carry that
// set's instructions to processors without it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/log/tile_matrix.hpp"
#include "engine/precision.hpp"

namespace otss {

// A few tiles of rows. They need not be neighbours: tiles without a row that counts are left out of
// the list.
struct MixtureChunk {
  const float* features;        // first tile of the TileMatrix: contexts, then factors
  const float* signed_weights;  // first tile of the SignedWeights
  const std::uint32_t* tiles;   // indices into both
  std::size_t num_tiles;
  int num_contexts;                 // p
  int num_factors;                  // J
  int num_experts;                  // K
  const float* outcomes = nullptr;  // first tile; not for bernoulli, where the sign has them
};

// Returns the chunk's loss and overwrites `gradient`; `theta` and `gradient` have MixtureLayout's
// order. `workspace` has workspace_bytes(), aligned to 64.
using MixtureKernel = double (*)(const MixtureChunk& chunk, const double* theta, double* gradient,
                                 void* workspace);

inline constexpr int kMaxFastExperts = 8;  // the plain path takes any number

// Lane sums and parameters of every entry, and the 2K rows of a tile, at the widest vectors and in
// f64.
constexpr std::size_t workspace_bytes(std::size_t num_parameters, int num_experts) {
  constexpr std::size_t kWidestVector = 64;
  return (num_parameters + 1) * (kWidestVector + sizeof(double)) +
         2 * num_experts * kTileRows * sizeof(double);
}

// The kernel for 1 … kMaxFastExperts experts; unit weights are SignedWeights::unit().
namespace baseline {
MixtureKernel mixture_kernel(Precision precision, int num_experts, bool unit_weights);
}
namespace avx2 {
MixtureKernel mixture_kernel(Precision precision, int num_experts, bool unit_weights);
}
namespace avx512 {
MixtureKernel mixture_kernel(Precision precision, int num_experts, bool unit_weights);
}

}  // namespace otss
