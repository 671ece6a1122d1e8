// Computes the loss and its gradient by matrix algebra, one tile at a time. The fast kernels are
// tested against this reference kernel. The reference kernel is also used where the fast kernels
// are not available: for the family poisson, and for more than kMaxFastExperts experts.
#pragma once

#include "engine/cpu/mixture_kernel.hpp"
#include "engine/engine.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// Returns the kernel. `precision` is the precision of the arithmetic inside a tile; sums over tiles
// are always f64.
MixtureKernel reference_kernel(Precision precision, OutputFamily family = {});

}  // namespace otss::internal
