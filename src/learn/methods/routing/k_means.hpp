// k-means of the encoded contexts: k-means++ starts (Arthur & Vassilvitskii 2007), Lloyd's
// iterations until no row changes its cluster, the start with the least inertia.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/problem/problem.hpp"

namespace otss {

struct KMeansOptions {
  int starts = 10;
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct KMeans {
  std::vector<double> centers;  // one row of num_contexts entries per cluster
  int num_clusters = 0;         // fewer than asked for where there are fewer distinct contexts
  double inertia = 0;           // weighted sum of squared distances to the own centre
};

// Rows count by their weights.
KMeans k_means(const Problem& problem, int num_clusters, const KMeansOptions& options);

// How many different contexts the rows that count have; counts no further than `enough`.
int distinct_contexts(const Problem& problem, int enough);

}  // namespace otss
