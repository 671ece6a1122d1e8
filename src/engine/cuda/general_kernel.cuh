// Computes the loss and its gradient for any number of columns and experts and for every output
// family, in f32 or f64. mixture_kernel.cuh is faster where it can be used.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "data/log/tile_matrix.hpp"
#include "engine/precision.hpp"
#include "otss/base/device.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal::cuda {

// Pointers are to memory of the card.
struct GeneralPass {
  int num_contexts = 0, num_factors = 0, num_experts = 1;  // see MixtureLayout
  OutputFamily::Kind family = OutputFamily::kBernoulli;
  Storage storage = Storage::kSingle;
  const void* features = nullptr;         // TileMatrix, or in f16 as half_rows.hpp says
  const float* signed_weights = nullptr;  // SignedWeights
  const float* outcomes = nullptr;        // Outcomes; null for bernoulli
  const float* offsets = nullptr;         // RowOffsets; null: every offset is 0
  std::uint64_t num_tiles = 0;
  const double* theta = nullptr;
  double* sums = nullptr;  // [thread block][gradient, loss]; the kernel adds to them
};

// The number of bytes of shared memory that a thread block needs.
std::size_t general_shared_bytes(const GeneralPass& pass, Precision precision);

cudaError_t launch_general(const GeneralPass& pass, Precision precision, int num_blocks,
                           cudaStream_t stream);

// Adds, for each of `count` sums, the values of `parts` parts in a fixed order: the sum i of part q
// is from[q * stride + i].
cudaError_t launch_add_in_order(const double* from, std::size_t stride, int parts, int count,
                                double* to, cudaStream_t stream);

}  // namespace otss::internal::cuda
