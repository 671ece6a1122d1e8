#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

// Cluster-then-fit: k-means of the contexts, blind to outcomes; then a logistic regression in which
// every cluster has weights of its own. The number of clusters and how far their weights may differ
// are chosen by held-out loss.
std::unique_ptr<ComparisonMethod> make_cluster(const FitOptions& options);

}  // namespace otss
