// The CUDA engine keeps the tiles in the memory of one GPU. Two runs on the same kind of GPU give the
// same bits; the CPU engine's sums differ by rounding.
#pragma once

#include <memory>

#include "data/log/tile_matrix.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/row_offsets.hpp"
#include "engine/signed_weights.hpp"

namespace otss::internal {

// The rows of a log, copied to the GPU once and shared by all engines of the log.
class CudaFeatures;
std::shared_ptr<const CudaFeatures> copy_to_gpu(const TileMatrix& features);

// The arguments are those of make_cpu_engine.
std::unique_ptr<Engine> make_cuda_engine(std::shared_ptr<const CudaFeatures> features,
                                         int num_contexts, const SignedWeights& rows,
                                         int num_experts, const Outcomes& outcomes = {},
                                         const RowOffsets& offsets = {});

}  // namespace otss::internal
