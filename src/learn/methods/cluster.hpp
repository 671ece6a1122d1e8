#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss::internal {

// Makes the method "cluster-then-fit". First k-means clusters the contexts, without using the
// outcomes. Then a logistic regression is fitted that has separate weights for every cluster.
// Held-out loss chooses the number of clusters and the penalty on the differences between the
// clusters' weights.
std::unique_ptr<ComparisonMethod> make_cluster(const FitOptions& options);

}  // namespace otss::internal
