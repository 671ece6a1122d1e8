#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss::internal {

// Makes the method "matched hard routing", which is OTSS with a one-hot gate. Every context goes to
// the expert with the largest linear gate score. Unlike the clusters of --method cluster, the gate
// is trained on the outcomes.
//
// The gate is annealed: the first fit of the soft mixture begins at the spectral start, and each
// further fit has a sharper gate. Then the gate is made one-hot, and experts and baseline are
// refitted with each row routed to one expert.
std::unique_ptr<ComparisonMethod> make_hard(const FitOptions& options);

}  // namespace otss::internal
