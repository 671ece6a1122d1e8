#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

// Matched hard routing: OTSS with a one-hot gate. Every context goes to the expert with the largest
// linear gate score. Unlike clusters, the gate is trained on the outcomes.
//
// The gate is annealed: starting from the spectral start, the soft mixture is fitted at increasing
// sharpness of its gate. Then the gate is made one-hot, and experts and baseline are refitted with
// each row routed to one expert.
std::unique_ptr<ComparisonMethod> make_hard(const FitOptions& options);

}  // namespace otss
