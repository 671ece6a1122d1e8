// Declares the kernel that computes linear predictors. The object files of all instruction sets
// include this header, so it must not define an inline function that becomes a symbol
// (mixture_kernel.hpp says why).
#pragma once

#include "engine/cpu/mixture_kernel.hpp"

namespace otss::internal {

// Writes the linear predictors of all rows of the chunk's tiles to `eta`, kTileRows per tile, in f64.
// Weights, outcomes and offsets of the chunk are not used. `workspace` has workspace_bytes() bytes and
// is aligned to 64 bytes.
using PredictorsKernel = void (*)(const MixtureChunk& chunk, const double* theta, double* eta,
                                  void* workspace);

// Each function returns the kernel of one instruction set for 1 … kMaxFastExperts experts.
namespace baseline {
PredictorsKernel predictors_kernel(int num_experts);
}
namespace avx2 {
PredictorsKernel predictors_kernel(int num_experts);
}
namespace avx512 {
PredictorsKernel predictors_kernel(int num_experts);
}

}  // namespace otss::internal
