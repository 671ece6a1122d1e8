#include "learn/probabilities/routed_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

// With more rows than this, a subsample is fitted first. The curvature of the subsample then
// preconditions the fit on all rows.
constexpr std::size_t kRoutedLargeRows = 60'000;
constexpr std::size_t kRoutedSubsampleRows = 20'000;
constexpr int kRoutedPasses = 60;

// Number of evaluations after which the curvature is computed again for the first time; this number
// then doubles each time. The curvature depends on the responsibilities P(expert k | x, z, y),
// which change most in the beginning.
constexpr int kFirstRound = 15;
constexpr double kRise = 1e-10;  // relative increase of the objective that rounding can cause

Eigen::LLT<Eigen::MatrixXd> factored(Eigen::MatrixXd curvature) {
  // A small diagonal (jitter) is added because without a penalty the matrix is singular: the
  // baseline's intercept and the experts' intercepts have the same effect.
  double jitter = 1e-9 * curvature.trace() / static_cast<double>(curvature.rows());
  Eigen::LLT<Eigen::MatrixXd> factor;
  do {
    curvature.diagonal().array() += jitter;
    factor.compute(curvature);
    jitter *= 100;
  } while (factor.info() != Eigen::Success);
  return factor;
}

void append(std::vector<double>& trace, const std::vector<TracePoint>& points) {
  for (const TracePoint& point : points) {
    if (!trace.empty() && point.value > trace.back() + kRise * std::abs(trace.back()))
      throw std::logic_error("EM: an iteration increased the objective");
    trace.push_back(point.value);
  }
}

RoutedFit descend(RoutedObjective& objective, const RoutedObjective& curved_like,
                  std::span<const double> start, const RoutedEffort& effort) {
  RoutedFit fit;
  fit.theta.assign(start.begin(), start.end());
  for (int round = kFirstRound; fit.evaluations < effort.max_evaluations; round *= 2) {
    const Eigen::LLT<Eigen::MatrixXd> factor = factored(curved_like.curvature(fit.theta));
    LbfgsOptions options;
    options.max_evaluations = std::min(round, effort.max_evaluations - fit.evaluations);
    options.gradient_tolerance = 1e-9;
    options.value_tolerance = effort.tolerance;
    options.precondition = [&factor](std::span<double> v) {
      Eigen::Map<Eigen::VectorXd> vector(v.data(), static_cast<Eigen::Index>(v.size()));
      factor.solveInPlace(vector);
    };
    Minimum minimum = minimize(objective, fit.theta, options);
    append(fit.trace, minimum.trace);
    fit.theta = std::move(minimum.x);
    fit.objective = minimum.value;
    fit.evaluations += minimum.evaluations;
    fit.message = std::move(minimum.message);
    if (minimum.reason != StopReason::kEvaluations) break;
  }
  return fit;
}

// Returns a subsample whose row weights are scaled so that they sum to the total weight of all
// rows. So the subsample can be fitted with the same penalty as all rows.
Problem stand_in(const Problem& problem, std::vector<std::size_t>& chosen) {
  Problem small = subsample(problem, kRoutedSubsampleRows, &chosen);
  const double ratio = problem.rows.total() / small.rows.total();
  std::vector<float> outcomes, weights;
  for (std::size_t i = 0; i < small.num_rows(); ++i) {
    outcomes.push_back(small.rows[i] > 0 ? 1.0F : 0.0F);
    weights.push_back(static_cast<float>(ratio * std::abs(small.rows[i])));
  }
  small.rows = SignedWeights(outcomes, weights);
  return small;
}

}  // namespace

RoutedFit fit_routed(const Problem& problem, const Routing& routing, const Penalty& penalty,
                     const MixtureLayout& layout, std::span<const double> start,
                     const RoutedEffort& effort) {
  RoutedObjective objective(problem, layout, routing, penalty, effort.num_threads);
  if (problem.num_rows() <= kRoutedLargeRows) return descend(objective, objective, start, effort);
  std::vector<std::size_t> chosen;
  const Problem small = stand_in(problem, chosen);
  Routing small_routing{routing.kind, {}};
  if (routing.kind == RoutingKind::kFixed) {
    for (const std::size_t row : chosen)
      small_routing.expert_of_row.push_back(routing.expert_of_row[row]);
  }
  RoutedObjective near(small, layout, small_routing, penalty, effort.num_threads);
  RoutedEffort rest = effort;
  rest.max_evaluations = std::min(effort.max_evaluations, kRoutedPasses);
  return descend(objective, near, descend(near, near, start, effort).theta, rest);
}

Routing routed_by(const Problem& problem, const Gate& gate) {
  Routing routing{RoutingKind::kFixed, std::vector<std::uint16_t>(problem.num_rows())};
  std::vector<double> x(problem.num_contexts);
  std::vector<double> alpha(num_experts(gate));
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    for (int j = 0; j < problem.num_contexts; ++j) x[j] = problem.features->at(i, j);
    shares(gate, 1, x, alpha);
    routing.expert_of_row[i] =
        static_cast<std::uint16_t>(std::ranges::max_element(alpha) - alpha.begin());
  }
  return routing;
}

}  // namespace otss::internal
