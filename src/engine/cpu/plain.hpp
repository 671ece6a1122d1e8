// The loss and its gradient, one row after the other, as the formulas say it. The fast kernels are
// tested against this path, and models with more experts than they are built for run on it.
#pragma once

#include "engine/cpu/mixture_kernel.hpp"
#include "engine/engine.hpp"

namespace otss {

// Works for any number of experts. `Precision` is that of each row's arithmetic; sums are f64.
MixtureKernel plain_kernel(Precision precision);

}  // namespace otss
