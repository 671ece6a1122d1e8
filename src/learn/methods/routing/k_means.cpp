#include "learn/methods/routing/k_means.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"

namespace otss::internal {
namespace {

using Points = Eigen::MatrixXd;  // one column per row of the log
using Eigen::Index;

constexpr std::size_t kStartRows = 50'000;  // starts are compared on at most this many rows
constexpr int kMaxIterations = 300;
// Each start runs until an iteration lowers the inertia by less than this share (k_means.hpp
// defines the inertia). Then only the best start continues, until no row changes its cluster.
constexpr double kRoughGain = 1e-3;

struct Weighted {
  Points points;
  Eigen::VectorXd weights;
};

Weighted counting_rows(const Problem& problem) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.rows[i] != 0) rows.push_back(i);
  }
  const auto count = static_cast<Index>(rows.size());
  Weighted data{Points(problem.num_contexts, count), Eigen::VectorXd(count)};
  for (Index i = 0; i < count; ++i) {
    data.weights[i] = std::abs(problem.rows[rows[i]]);
    for (int j = 0; j < problem.num_contexts; ++j)
      data.points(j, i) = problem.features->at(rows[i], j);
  }
  return data;
}

// Returns the start of k-means++. Each further centre is a random row. The probability of a row is
// proportional to its weight × its squared distance to the nearest centre, so no row is drawn
// twice. If every row coincides with a centre, the result has fewer than num_clusters centres.
Points plus_plus(const Weighted& data, int num_clusters, Rng& rng) {
  const Index n = data.points.cols();
  Points centers(data.points.rows(), 0);
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
    centers.rightCols(1) = data.points.col(chosen);
    distance = distance.cwiseMin(
        (data.points.colwise() - data.points.col(chosen)).colwise().squaredNorm().transpose());
    mass = data.weights.cwiseProduct(distance);
  }
  return centers;
}

struct Assignment {
  std::vector<Index> cluster;
  Eigen::VectorXd distance;  // squared distance to the centre of the row's cluster
};

Assignment assign(const Weighted& data, const Points& centers) {
  const Index n = data.points.cols();
  Assignment result{std::vector<Index>(n, 0), Eigen::VectorXd(n)};
  // score(c, i) is |x - c|^2 - |x|^2 for the context x of row i and the centre c. Leaving out |x|^2
  // does not change which centre is nearest, and one matrix product computes all scores.
  const Points score = (-2 * centers.transpose() * data.points).colwise() +
                       centers.colwise().squaredNorm().transpose();
  for (Index i = 0; i < n; ++i) {
    score.col(i).minCoeff(&result.cluster[i]);  // the first cluster if several are equally near
    result.distance[i] = (data.points.col(i) - centers.col(result.cluster[i])).squaredNorm();
  }
  return result;
}

// Returns the means of the clusters. An empty cluster has no mean; its centre moves to the row
// whose nearest centre is farthest away.
Points means(const Weighted& data, Assignment& assignment, Index num_clusters) {
  Points sums = Points::Zero(data.points.rows(), num_clusters);
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(num_clusters);
  for (Index i = 0; i < data.points.cols(); ++i) {
    sums.col(assignment.cluster[i]) += data.weights[i] * data.points.col(i);
    mass[assignment.cluster[i]] += data.weights[i];
  }
  for (Index k = 0; k < num_clusters; ++k) {
    if (mass[k] > 0) {
      sums.col(k) /= mass[k];
      continue;
    }
    Index farthest = 0;
    assignment.distance.maxCoeff(&farthest);
    sums.col(k) = data.points.col(farthest);
    assignment.distance[farthest] = 0;
  }
  return sums;
}

struct Clustering {
  Points centers;
  double inertia = 0;
};

Clustering lloyd(const Weighted& data, Points centers, double least_gain) {
  std::vector<Index> before;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    check_interrupt();
    Assignment assignment = assign(data, centers);
    const double inertia = data.weights.dot(assignment.distance);
    if (assignment.cluster == before || iteration == kMaxIterations ||
        last - inertia < least_gain * inertia)
      return {std::move(centers), inertia};
    last = inertia;
    before = assignment.cluster;
    centers = means(data, assignment, centers.cols());
  }
}

}  // namespace

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
