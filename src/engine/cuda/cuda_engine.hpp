// The engine on one GPU. Two runs on the same kind of GPU give the same bits; the sums of the CPU
// engine differ by rounding.
#pragma once

#include <memory>

#include "engine/cuda/gpu_log.hpp"
#include "engine/engine.hpp"

namespace otss::internal {

std::unique_ptr<Engine> make_cuda_engine(std::shared_ptr<const cuda::GpuLog> log, int num_experts);

}  // namespace otss::internal
