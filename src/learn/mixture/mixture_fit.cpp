#include "learn/mixture/mixture_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <functional>
#include <utility>

#include "learn/mixture/mixture_objective.hpp"
#include "learn/options/defaults.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

using defaults::kSubsampleRowsPerParameter;

// Largest number of passes over the rows of a large log. If there are more experts than the log can
// distinguish, the objective is nearly flat along some curves. Following these curves to the
// optimum would take hundreds of passes and hardly change w(x).
constexpr int kLargePasses = 60;

// Rounding limits the precision of f32 gradients to about 1e-6 of the loss. So a fit first
// converges in f32 with coarse tolerances, and then continues in f64 with kDoubleTolerance.
constexpr double kSingleTolerance = 1e-5;
constexpr double kSingleGain = 1e-7;
constexpr double kDoubleTolerance = 1e-8;

// `before_polish` is called with the f32 optimum, unless it is empty.
MixtureFit in_two_precisions(
    const Engine& engine, const Penalty& penalty, std::span<const double> start,
    LbfgsOptions options, const FitEffort& effort,
    const std::function<void(std::span<const double>)>& before_polish = {}) {
  MixtureObjective single(engine, penalty, Precision::kSingle);
  options.gradient_tolerance = kSingleTolerance;
  options.value_tolerance = kSingleGain;
  Minimum minimum = minimize(single, start, options);
  int evaluations = minimum.evaluations;
  // A search that ends at the limit of a large log follows a flat curve, which more digits do not end.
  const bool is_flat =
      minimum.reason == StopReason::kEvaluations && options.max_evaluations == kLargePasses;
  if (effort.polish && !is_flat) {
    if (before_polish) before_polish(minimum.x);
    MixtureObjective exact(engine, penalty, Precision::kDouble);
    options.gradient_tolerance = kDoubleTolerance;
    options.value_tolerance = effort.least_gain;
    options.value_noise = effort.value_noise;
    options.pairs = std::move(minimum.pairs);
    minimum = minimize(exact, minimum.x, options);
    evaluations += minimum.evaluations;
  }
  return {engine.layout(),
          std::move(minimum.x),
          minimum.value,
          evaluations,
          minimum.converged() || minimum.reason == StopReason::kLineSearch,
          std::move(minimum.message)};
}

MixtureFit fit_directly(const Problem& problem, const Penalty& penalty, const MixtureLayout& layout,
                        std::span<const double> start, const FitEffort& effort) {
  const auto engine = make_engine(problem, layout.num_experts, effort.num_threads);
  LbfgsOptions options{.box = problem.box(layout)};
  if (effort.most_passes > 0) options.max_evaluations = effort.most_passes;
  return in_two_precisions(*engine, penalty, start, std::move(options), effort);
}

Penalty scaled(Penalty penalty, double factor) {
  penalty.gate *= factor;
  penalty.gate_intercept *= factor;
  penalty.expert *= factor;
  penalty.center *= factor;
  penalty.baseline *= factor;
  return penalty;
}

MixtureFit fit_through_subsample(const Problem& problem, const Penalty& penalty,
                                 const MixtureLayout& layout, std::span<const double> start,
                                 const FitEffort& effort) {
  const Problem small = subsample(
      problem, std::max(defaults::kSubsampleRows, kSubsampleRowsPerParameter * layout.size()));
  const double ratio = problem.rows.total() / small.rows.total();
  // The penalty is scaled down in proportion to the number of rows. So the optimum on the subsample
  // equals the optimum on the full log up to sampling error.
  const FitEffort rough{effort.num_threads, false};
  const MixtureFit near = fit_directly(small, scaled(penalty, 1 / ratio), layout, start, rough);
  const auto engine = make_engine(problem, layout.num_experts, effort.num_threads);
  return finish_fit(*engine, small, penalty, near.theta, effort);
}

}  // namespace

MixtureFit finish_fit(const Engine& engine, const Problem& sample, const Penalty& penalty,
                      std::span<const double> start, const FitEffort& effort) {
  const MixtureLayout& layout = engine.layout();
  const double ratio = engine.total_weight() / sample.rows.total();
  const auto factored_at = [&](std::span<const double> theta) {
    Eigen::MatrixXd hessian = curvature(sample, theta, layout, effort.num_threads) * ratio;
    penalty.add_curvature(layout, hessian);
    hessian /= engine.total_weight();
    hessian.diagonal().array() += 1e-9 * hessian.trace() / static_cast<double>(layout.size());
    return Eigen::LLT<Eigen::MatrixXd>(hessian);
  };
  Eigen::LLT<Eigen::MatrixXd> factor = factored_at(start);

  LbfgsOptions options;
  options.max_evaluations = kLargePasses;
  options.box = sample.box(layout);
  if (factor.info() == Eigen::Success) {
    options.precondition = [&factor](std::span<double> v) {
      Eigen::Map<Eigen::VectorXd> vector(v.data(), static_cast<Eigen::Index>(v.size()));
      factor.solveInPlace(vector);
    };
  }
  // An f64 pass takes as long as the curvature of thousands of rows, and the curvature at the f32
  // optimum saves several passes.
  return in_two_precisions(engine, penalty, start, std::move(options), effort,
                           [&](std::span<const double> theta) {
                             auto there = factored_at(theta);
                             if (there.info() == Eigen::Success) factor = std::move(there);
                           });
}

MixtureFit fit_mixture(const Problem& problem, const Penalty& penalty, const MixtureLayout& layout,
                       std::span<const double> start, const FitEffort& effort) {
  const bool large = problem.num_rows() > std::max(defaults::kDirectFitRows,
                                                   2 * kSubsampleRowsPerParameter * layout.size());
  return large ? fit_through_subsample(problem, penalty, layout, start, effort)
               : fit_directly(problem, penalty, layout, start, effort);
}

double mean_loss(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta,
                 int num_threads) {
  const auto engine = make_engine(problem, layout.num_experts, num_threads);
  std::vector<double> gradient(layout.size());
  return engine->evaluate(theta, gradient, Precision::kDouble) / engine->total_weight();
}

}  // namespace otss::internal
