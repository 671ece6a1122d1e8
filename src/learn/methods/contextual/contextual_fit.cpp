#include "learn/methods/contextual/contextual_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/problem/tile_products.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kSubsampleRows = 20'000;
constexpr std::size_t kLargeRows = 3 * kSubsampleRows;
constexpr int kPolishEvaluations = 40;
// The rows are split into parts for summation. The parts depend on the problem only, so that sums
// have the same bits for any number of threads.
constexpr std::size_t kLeastTilesPerPart = 4;
constexpr std::size_t kMostParts = 64;
constexpr double kGradientTolerance = 1e-6;
constexpr double kGain = 1e-8;

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vector = Eigen::Map<VectorXd>;

std::vector<std::size_t> tiles_that_count(const SignedWeights& rows) {
  std::vector<std::size_t> tiles;
  for (std::size_t t = 0; t < rows.num_tiles(); ++t) {
    if (!rows.tile_is_empty(t)) tiles.push_back(t);
  }
  return tiles;
}

Minimum descend(const Problem& problem, const WeightFunction& function, double baseline_penalty,
                std::span<const double> start, const ContextualEffort& effort) {
  ContextualObjective objective(problem, function, baseline_penalty, effort.num_threads);
  LbfgsOptions options;
  options.max_evaluations = effort.max_evaluations;
  options.gradient_tolerance = kGradientTolerance;
  options.value_tolerance = kGain;
  return minimize(objective, start, options);
}

}  // namespace

double add_ridge(double strength, std::span<const double> values, std::span<double> gradient) {
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += values[i] * values[i];
    gradient[i] += strength * values[i];
  }
  return 0.5 * strength * squares;
}

ContextualObjective::ContextualObjective(const Problem& problem, const WeightFunction& function,
                                         double baseline_penalty, int num_threads)
    : problem_(problem),
      function_(function),
      baseline_penalty_(baseline_penalty),
      num_threads_(num_threads),
      tiles_(tiles_that_count(problem.rows)) {}

std::size_t ContextualObjective::size() const {
  return function_.size() + problem_.num_contexts + 1;
}

double ContextualObjective::add_tile(std::size_t tile, std::span<const double> theta,
                                     std::span<double> gradient) const {
  const int p = problem_.num_contexts;
  const int num_factors = problem_.num_factors();
  const std::size_t own = function_.size();
  const float* const columns = problem_.features->tile(tile);
  MatrixXd x(kTileRows, p);
  widen(columns, p, x);
  MatrixXd z = MatrixXd::Ones(kTileRows, function_.num_weights());
  widen(columns + p * kTileRows, num_factors, z);

  double loss = 0;
  const auto derivative = [&](const MatrixXd& weights) -> MatrixXd {
    VectorXd eta = linear_functions(x, {1, theta.data() + own, 0, 1});
    eta += weights.cwiseProduct(z).rowwise().sum();
    eta.array() += theta.back();
    loss = replace_by_slopes(problem_.rows.tile(tile), eta);
    add_products(eta, x, gradient.data() + own);
    gradient.back() += eta.sum();
    return eta.asDiagonal() * z;
  };
  function_.propagate(theta.first(own), x, derivative, gradient.first(own));
  return loss;
}

double ContextualObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
  count_rows(tiles_.size() * kTileRows);
  const std::size_t per_part =
      std::max(kLeastTilesPerPart, (tiles_.size() + kMostParts - 1) / kMostParts);
  const std::size_t parts = (tiles_.size() + per_part - 1) / per_part;
  std::vector<VectorXd> gradients(parts, VectorXd::Zero(static_cast<Eigen::Index>(size())));
  std::vector<double> values(parts, 0.0);
  parallel_for(parts, num_threads_, [&](std::size_t part) {
    const std::size_t end = std::min(tiles_.size(), (part + 1) * per_part);
    const std::span<double> sum(gradients[part].data(), size());
    for (std::size_t t = part * per_part; t < end; ++t)
      values[part] += add_tile(tiles_[t], theta, sum);
  });
  std::ranges::fill(gradient, 0.0);
  const std::size_t own = function_.size();
  double value = function_.add_penalty(theta.first(own), gradient.first(own));
  value += add_ridge(baseline_penalty_, theta.subspan(own, problem_.num_contexts),
                     gradient.subspan(own));
  Vector total(gradient.data(), static_cast<Eigen::Index>(size()));
  for (std::size_t part = 0; part < parts; ++part) {
    value += values[part];
    total += gradients[part];
  }
  total /= problem_.rows.total();
  return value / problem_.rows.total();
}

ContextualFit fit_contextual(const Problem& problem, const WeightFunction& function,
                             double baseline_penalty, std::span<const double> start,
                             const ContextualEffort& effort) {
  Minimum minimum;
  if (problem.num_rows() <= kLargeRows) {
    minimum = descend(problem, function, baseline_penalty, start, effort);
  } else {
    const Problem small = subsample(problem, kSubsampleRows);
    const Minimum near = descend(small, function, baseline_penalty, start, effort);
    minimum = descend(problem, function, baseline_penalty, near.x,
                      {effort.num_threads, kPolishEvaluations});
    minimum.evaluations += near.evaluations;
  }
  return {std::move(minimum.x), minimum.value, minimum.evaluations};
}

std::vector<double> contextual_start(const Baseline& baseline, std::span<const double> function) {
  std::vector<double> theta(function.begin(), function.end());
  theta.insert(theta.end(), baseline.slopes.begin(), baseline.slopes.end());
  theta.push_back(baseline.intercept);
  return theta;
}

std::vector<double> contextual_start(const PooledFit& pooled, std::span<const double> function) {
  Baseline baseline = mixture_model(pooled.fit.layout, pooled.fit.theta).baseline;
  baseline.intercept += baseline.expert_intercepts.front();
  return contextual_start(baseline, function);
}

std::vector<double> pooled_weights(const PooledFit& pooled) {
  const auto begin =
      pooled.fit.theta.begin() + static_cast<std::ptrdiff_t>(pooled.fit.layout.expert(0));
  return {begin, begin + pooled.fit.layout.num_factors};
}

StandardisedModel contextual_model(const WeightFunction& function, std::span<const double> theta) {
  StandardisedModel model = function.model(theta.first(function.size()));
  const auto slopes = theta.subspan(function.size());
  model.baseline.slopes.assign(slopes.begin(), slopes.end() - 1);
  model.baseline.intercept = slopes.back();
  return model;
}

}  // namespace otss::internal
