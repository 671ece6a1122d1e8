#include "learn/methods/routing/k_means.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "learn/problem/tile_products.hpp"

namespace otss::internal {
namespace {

using Points = Eigen::MatrixXd;  // one column per point
using Eigen::Index;

constexpr std::size_t kStartRows = 50'000;  // starts are compared on at most this many rows
constexpr int kMaxIterations = 300;
// Each start runs until an iteration lowers the inertia by less than this share (k_means.hpp
// defines the inertia). Then only the best start continues, until no row changes its cluster.
constexpr double kRoughGain = 1e-3;

// The contexts of the rows that count, as tiles: [x, 1], one row per row of the log. The rows beyond
// the last one have weight 0.
struct Weighted {
  std::vector<Eigen::MatrixXd> tiles;
  Eigen::VectorXd weights;
  int num_contexts;

  Eigen::VectorXd context(Index row) const {
    const auto tile_rows = static_cast<Index>(kTileRows);
    return tiles[row / tile_rows].row(row % tile_rows).head(num_contexts);
  }
};

Weighted counting_rows(const Problem& problem) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.rows[i] != 0) rows.push_back(i);
  }
  const std::size_t num_tiles = (rows.size() + kTileRows - 1) / kTileRows;
  const int p = problem.num_contexts;
  Weighted data{{num_tiles, Eigen::MatrixXd::Zero(kTileRows, p + 1)},
                Eigen::VectorXd::Zero(static_cast<Index>(num_tiles * kTileRows)),
                p};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    data.weights[static_cast<Index>(i)] = problem.weight(rows[i]);
    auto row = data.tiles[i / kTileRows].row(static_cast<Index>(i % kTileRows));
    for (int j = 0; j < p; ++j) row[j] = problem.features->at(rows[i], j);
    row[p] = 1;
  }
  return data;
}

struct Assignment {
  Eigen::VectorXd cluster;   // the number of each row's cluster
  Eigen::VectorXd distance;  // squared distance to the centre of the row's cluster
};

Assignment assign(const Weighted& data, const Points& centers) {
  Assignment result{Eigen::VectorXd(data.weights.size()), Eigen::VectorXd(data.weights.size())};
  const NearestKernel& kernel = nearest_kernel(active_isa());
  for (std::size_t t = 0; t < data.tiles.size(); ++t) {
    kernel.nearest(centers.rows(), data.tiles[t].data(), centers.cols(), centers.data(),
                   result.cluster.data() + t * kTileRows, result.distance.data() + t * kTileRows);
  }
  return result;
}

// Returns the start of k-means++. Each further centre is a random row. The probability of a row is
// proportional to its weight × its squared distance to the nearest centre, so no row is drawn
// twice. If every row coincides with a centre, the result has fewer than num_clusters centres.
Points plus_plus(const Weighted& data, int num_clusters, Rng& rng) {
  const Index n = data.weights.size();
  Points centers(data.num_contexts, 0);
  Eigen::VectorXd mass = data.weights;
  Eigen::VectorXd distance = Eigen::VectorXd::Constant(n, std::numeric_limits<double>::infinity());
  while (centers.cols() < num_clusters) {
    const double total = mass.sum();
    if (total == 0) break;
    double left = rng.uniform() * total;
    Index chosen = 0;
    Index candidate = 0;
    for (; candidate < n && left >= 0; ++candidate) {
      if (mass[candidate] == 0) continue;
      chosen = candidate;
      left -= mass[candidate];
    }
    centers.conservativeResize(Eigen::NoChange, centers.cols() + 1);
    centers.rightCols(1) = data.context(chosen);
    distance = distance.cwiseMin(assign(data, centers.rightCols(1)).distance);
    mass = data.weights.cwiseProduct(distance);
  }
  return centers;
}

// Returns the means of the clusters. An empty cluster has no mean; its centre moves to the row
// whose nearest centre is farthest away.
Points means(const Weighted& data, Assignment& assignment, Index num_clusters) {
  Points sums = Points::Zero(data.num_contexts + 1, num_clusters);  // of [x, 1]
  Eigen::MatrixXd shares(kTileRows, num_clusters);
  for (std::size_t t = 0; t < data.tiles.size(); ++t) {
    shares.setZero();
    for (std::size_t i = 0; i < kTileRows; ++i) {
      const auto row = static_cast<Index>(t * kTileRows + i);
      shares(static_cast<Index>(i), static_cast<Index>(assignment.cluster[row])) =
          data.weights[row];
    }
    add_products(shares, data.tiles[t], sums.data());
  }
  Points result(data.num_contexts, num_clusters);
  for (Index k = 0; k < num_clusters; ++k) {
    const double mass = sums(data.num_contexts, k);
    if (mass > 0) {
      result.col(k) = sums.col(k).head(data.num_contexts) / mass;
      continue;
    }
    Index farthest = 0;  // among the rows that count
    assignment.distance.cwiseProduct(data.weights.cwiseSign()).maxCoeff(&farthest);
    result.col(k) = data.context(farthest);
    assignment.distance[farthest] = 0;
  }
  return result;
}

struct Clustering {
  Points centers;
  double inertia = 0;
};

Clustering lloyd(const Weighted& data, Points centers, double least_gain) {
  Eigen::VectorXd before;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    check_interrupt();
    Assignment assignment = assign(data, centers);
    const double inertia = data.weights.dot(assignment.distance);
    const bool settled = iteration > 0 && assignment.cluster == before;
    if (settled || iteration == kMaxIterations || last - inertia < least_gain * inertia)
      return {std::move(centers), inertia};
    last = inertia;
    before = assignment.cluster;
    centers = means(data, assignment, centers.cols());
  }
}

}  // namespace

const NearestKernel& nearest_kernel(Isa isa) {
  return compiled_for(isa, baseline::kNearestKernel, avx2::kNearestKernel, avx512::kNearestKernel);
}

KMeans k_means(const Problem& problem, int num_clusters, const KMeansOptions& options) {
  const bool large = problem.num_rows() > kStartRows;
  const Weighted data = counting_rows(large ? subsample(problem, kStartRows) : problem);
  std::vector<Clustering> found(options.starts);
  parallel_for(found.size(), options.num_threads, [&](std::size_t start) {
    Rng rng(options.seed, start);
    found[start] = lloyd(data, plus_plus(data, num_clusters, rng), kRoughGain);
  });
  Clustering best = *std::ranges::min_element(found, {}, &Clustering::inertia);
  best = lloyd(large ? counting_rows(problem) : data, std::move(best.centers), 0);
  return {std::vector<double>(best.centers.data(), best.centers.data() + best.centers.size()),
          static_cast<int>(best.centers.cols()), best.inertia};
}

int distinct_contexts(const Problem& problem, int enough) {
  std::vector<std::size_t> found;
  const auto same = [&](std::size_t a, std::size_t b) {
    for (int j = 0; j < problem.num_contexts; ++j) {
      if (problem.features->at(a, j) != problem.features->at(b, j)) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < problem.num_rows() && std::ssize(found) < enough; ++i) {
    if (problem.rows[i] == 0) continue;
    if (std::ranges::none_of(found, [&](std::size_t other) { return same(i, other); }))
      found.push_back(i);
  }
  return static_cast<int>(found.size());
}

}  // namespace otss::internal
