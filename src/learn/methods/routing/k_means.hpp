// Clusters the encoded contexts by k-means. The algorithm makes several k-means++ starts (Arthur &
// Vassilvitskii 2007) and keeps the start with the lowest inertia. Then it runs Lloyd's iterations
// until no row changes its cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/methods/isa/nearest_kernel.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

const NearestKernel& nearest_kernel(Isa isa);

struct KMeansOptions {
  int starts = 10;
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct KMeans {
  std::vector<double> centers;  // one row of num_contexts entries per cluster
  int num_clusters = 0;         // fewer than asked for if there are fewer distinct contexts
  double inertia = 0;           // weighted sum of squared distances to the nearest centre
};

// Clusters the contexts of the problem's rows; each row counts with its weight.
KMeans k_means(const Problem& problem, int num_clusters, const KMeansOptions& options);

// Returns the number of distinct contexts among the rows with nonzero weight, but at most `enough`.
int distinct_contexts(const Problem& problem, int enough);

}  // namespace otss::internal
