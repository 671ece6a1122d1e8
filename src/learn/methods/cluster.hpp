#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

// Cluster-then-fit: k-means of the contexts, which does not use the outcomes; then a logistic
// regression with separate weights for every cluster. Held-out loss chooses the number of clusters
// and the penalty on the differences between their weights.
std::unique_ptr<ComparisonMethod> make_cluster(const FitOptions& options);

}  // namespace otss
