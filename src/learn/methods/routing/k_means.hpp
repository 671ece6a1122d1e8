// k-means of the encoded contexts: k-means++ starts (Arthur & Vassilvitskii 2007), of which the one
// with the lowest inertia is kept, and Lloyd's iterations until no row changes its cluster.
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
  int num_clusters = 0;         // less than asked for if there are fewer distinct contexts
  double inertia = 0;           // weighted sum of squared distances to the nearest centre
};

// Uses the row weights.
KMeans k_means(const Problem& problem, int num_clusters, const KMeansOptions& options);

// Number of distinct contexts among the rows with nonzero weight; stops counting at `enough`.
int distinct_contexts(const Problem& problem, int enough);

}  // namespace otss
