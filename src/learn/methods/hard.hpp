#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

// Matched hard routing: OTSS with a one-hot gate. Every context goes to the expert with the largest
// linear score, and the scores are trained on the outcome, not on the contexts alone.
//
// The gate is annealed: the soft mixture is fitted at a given sharpness of its gate, from the
// spectral start and from soft to sharp; then the gate is cut, one-hot, and experts and baseline
// are fitted on the routes it leaves.
std::unique_ptr<ComparisonMethod> make_hard(const FitOptions& options);

}  // namespace otss
