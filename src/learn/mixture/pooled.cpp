#include "learn/mixture/pooled.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "learn/options/defaults.hpp"

namespace otss::internal {
namespace {

constexpr int kMaxRounds = 12;
// The strengths are estimated in rounds, until a round changes each strength by less than this
// share.
constexpr double kSettled = 0.02;
// Limits of a strength. Without limits, the strength would grow to infinity if the log shows no
// effect at all.
constexpr double kWeakest = 0.01, kStrongest = 3e3;

// Returns (effective number of parameters) / |estimate|^2 over the entries [first, first + count).
// Entries on a bound are skipped, because the bound, not the log, determines their value.
double reestimate(const Eigen::MatrixXd& covariance, std::span<const double> theta, const Box& box,
                  std::size_t first, int count, double strength) {
  double norm = 0;
  double effective = 0;
  int free = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    if (!box.empty() && (theta[i] <= box.lower[i] || theta[i] >= box.upper[i])) continue;
    norm += theta[i] * theta[i];
    effective += 1 - strength * covariance(i, i);
    ++free;
  }
  if (free == 0) return strength;
  return std::clamp(std::max(effective, 1e-3) / std::max(norm, 1e-12), kWeakest, kStrongest);
}

bool settled(double before, double after) { return std::abs(std::log(after / before)) < kSettled; }

}  // namespace

std::vector<double> constant_model(const Problem& problem) {
  const MixtureLayout layout = problem.layout(1);
  std::vector<double> theta(layout.size(), 0.0);
  // The mean includes one additional row whose outcome is the mean at eta = 0. So the start is
  // finite even if all outcomes are equal.
  const OutputFamily family = problem.family();
  const double total = problem.rows.total();
  const double mean = (total * problem.mean_outcome() + family.mean(0)) / (total + 1);
  theta[layout.baseline() + layout.num_contexts] = family.link(mean);
  return theta;
}

PooledFit fit_pooled(const Problem& whole, int num_threads) {
  const Problem problem = whole.num_rows() > defaults::kStrengthRows
                              ? subsample(whole, defaults::kStrengthRows)
                              : whole;
  const MixtureLayout layout = problem.layout(1);
  const Box box = problem.box(layout);
  const FitEffort effort{num_threads, true};
  PooledFit pooled;
  std::vector<double> theta = constant_model(problem);
  for (int round = 0; round < kMaxRounds; ++round) {
    pooled.fit = fit_mixture(problem, pooled.penalty, layout, theta, effort);
    theta = pooled.fit.theta;
    // For one expert the Gauss–Newton matrix is the Hessian itself.
    Eigen::MatrixXd hessian = curvature(problem, theta, layout, num_threads);
    pooled.penalty.add_curvature(layout, hessian);
    const auto size = static_cast<Eigen::Index>(layout.size());
    const Eigen::MatrixXd covariance = hessian.ldlt().solve(Eigen::MatrixXd::Identity(size, size));
    const Penalty before = pooled.penalty;
    pooled.penalty.baseline =
        reestimate(covariance, theta, box, layout.baseline(), layout.num_contexts, before.baseline);
    pooled.penalty.center =
        reestimate(covariance, theta, box, layout.expert(0), layout.num_factors, before.center);
    if (settled(before.baseline, pooled.penalty.baseline) &&
        settled(before.center, pooled.penalty.center))
      break;
  }
  pooled.fit = fit_mixture(whole, pooled.penalty, layout, theta, effort);
  return pooled;
}

}  // namespace otss::internal
