// The loss and its gradient, a tile of rows after the other, as matrix algebra says it. The fast
// kernels are tested against this path; families other than bernoulli, and models with more experts
// than they are built for, run on it.
#pragma once

#include "engine/cpu/mixture_kernel.hpp"
#include "engine/engine.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// Works for any number of experts. `Precision` is that of a tile's arithmetic; sums over tiles are
// f64.
MixtureKernel reference_kernel(Precision precision, OutputFamily family = {});

}  // namespace otss
