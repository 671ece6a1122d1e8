// Computes the Gauss–Newton matrix, the sum of w v J J' over rows (engine/gauss_newton.hpp), in f64.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "otss/base/device.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal::cuda {

// The matrix is divided into blocks of this many rows and columns. A thread block adds up one of them
// over a part of the tiles.
inline constexpr int kMatrixBlock = 64;

// Pointers are to memory of the card.
struct GaussNewtonPass {
  int num_contexts = 0, num_factors = 0, num_experts = 1;  // see MixtureLayout
  OutputFamily::Kind family = OutputFamily::kBernoulli;
  Storage storage = Storage::kSingle;
  const void* features = nullptr;         // TileMatrix, or in f16 as half_rows.hpp says
  const float* signed_weights = nullptr;  // SignedWeights
  std::uint64_t num_tiles = 0;
  const double* theta = nullptr;
  // [part][block][row of the block][column of the block]; the kernel adds to them. Blocks are those
  // of the lower triangle: (0,0), (1,0), (1,1), (2,0), …
  double* sums = nullptr;

  int size() const { return num_experts * (num_contexts + num_factors + 2); }
  int blocks_per_side() const { return (size() + kMatrixBlock - 1) / kMatrixBlock; }
  int num_blocks() const { return blocks_per_side() * (blocks_per_side() + 1) / 2; }
};

cudaError_t launch_gauss_newton(const GaussNewtonPass& pass, int num_parts, cudaStream_t stream);

}  // namespace otss::internal::cuda
