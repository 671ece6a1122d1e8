#include "learn/estimate/fit_soft.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/threads.hpp"
#include "learn/deploy/assemble.hpp"
#include "learn/deploy/report.hpp"
#include "learn/deploy/warm_start.hpp"
#include "learn/estimate/estimate.hpp"
#include "learn/estimate/estimate_report.hpp"
#include "learn/estimate/weight_uncertainty.hpp"
#include "learn/mixture/noise_units.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/options/defaults.hpp"
#include "learn/options/log_requirements.hpp"
#include "learn/problem/constraints.hpp"
#include "learn/problem/split.hpp"
#include "learn/units/deviations.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

SamplingOptions sampling_options(const FitOptions& options, int threads) {
  SamplingOptions bayes{.seed = options.seed, .num_threads = threads};
  if (!options.restarts.is_auto()) bayes.starts = options.restarts.value;
  return bayes;
}

// Returns the estimator to use, which is never kAuto. For the pooled model, which is a single
// penalised fit, it is kMap.
Estimator estimator_of(const LoggedData& log, const FitOptions& options,
                       const SelectionOptions& choices) {
  if (options.estimator != Estimator::kAuto) return options.estimator;
  if (choices.experts.empty()) return Estimator::kMap;
  if (options.deploy == Deploy::kMean) return Estimator::kBayes;
  if (!options.sign.empty() || !options.bounds.empty()) return Estimator::kMap;
  return automatic_estimator(log, choices);
}

SelectionOptions selection_options(const Problem& problem, const FitOptions& options, int threads) {
  SelectionOptions selection;
  if (fits_segments(options.method)) {
    if (options.experts.is_auto()) {
      for (const int k : defaults::kExperts) {
        if (problem.num_rows() >= problem.layout(k).size()) selection.experts.push_back(k);
      }
    } else if (options.experts.value > 1) {
      selection.experts.push_back(options.experts.value);
    }
  }
  selection.folds = options.folds.is_auto() ? defaults::kFolds : options.folds.value;
  selection.validation = options.validation;
  selection.starts = options.restarts.is_auto() ? 1 : options.restarts.value;
  selection.seed = options.seed;
  selection.num_threads = threads;
  selection.repeats = defaults::kRepeats;
  const bool free_choice = options.experts.is_auto() && options.init == nullptr;
  selection.may_grow = free_choice && selection.experts.size() == defaults::kExperts.size() &&
                       problem.num_contexts <= defaults::kManyColumns;
  selection.smooth = options.method == Method::kAuto && free_choice &&
                     options.deploy == Deploy::kDistilled && problem.bounds.standardised.empty() &&
                     smooth_is_feasible(problem) && selection.experts.size() > 1;
  return selection;
}

// If --init names a model, takes the number of experts and the starting point from that model.
void continue_from(const LoggedData& log, const FitOptions& options, SelectionOptions& choices) {
  if (options.init == nullptr) return;
  WarmStart warm = warm_start(*options.init, log);
  const int experts = warm.layout.num_experts;
  if (!options.experts.is_auto() && options.experts.value != experts) {
    throw Error(ErrorCode::kUsage, fmt::format("--experts {}: the model that --init names has {} "
                                               "experts; leave out --experts or --init",
                                               options.experts.value, experts));
  }
  choices.experts.clear();
  if (experts > 1) choices.experts.push_back(experts);
  choices.start = std::move(warm.theta);
}

Problem problem_of(const LoggedData& log, const FitOptions& options, int threads) {
  const OutputFamily family = options.family;
  require_outcomes(log, family);
  const Box own_bounds = parse_bounds(options.sign, options.bounds, log.encoder());
  require_rows(log, fits_segments(options.method) ? std::max(1, options.experts.value) : 1);
  const OutcomeUnits units =
      family == OutputFamily::kGaussian ? noise_units(log, own_bounds, threads) : OutcomeUnits{};
  const Problem problem = whole_problem(log, family, units, own_bounds);
  return options.gate == GateChoice::kQuadratic ? quadratic_problem(problem) : problem;
}

// Returns the deployed model in the problem's units. Its gate is a function of the problem's
// columns.
StandardisedModel deployed(const Problem& problem, const FitOptions& options,
                           const Estimate& found) {
  StandardisedModel model =
      options.deploy == Deploy::kMean
          ? average_model(found.average.selection.members, defaults::kDeployedMembers)
          : mixture_model(found.distilled.layout, found.distilled.theta);
  return options.init == nullptr ? ordered_by_use(problem, model) : model;
}

// If the log has units, estimates their deviations. If the deviations are supported, the distilled
// model becomes the population of the fit with deviations.
std::optional<MarginalFit> fit_deviations(const LoggedData& log, const Problem& problem,
                                          const PooledFit& pooled, const SelectionOptions& choices,
                                          const std::function<void(double)>& progress,
                                          Estimate& found, FitReport& record) {
  if (log.units().empty()) return std::nullopt;
  const MixtureLayout layout = found.distilled.layout;
  const WithoutDeviations without{
      layout, found.distilled.theta, deployed_penalty(found, pooled, layout.num_experts),
      found.average.selection.held_out_eta,
      split_rows(log, {choices.folds, choices.validation, choices.seed}).folds};
  DeviationEstimate deviations =
      estimate_deviations(log, problem, without, choices.seed, choices.num_threads, progress);
  record.deviations = std::move(deviations.report);
  if (deviations.fit) found.distilled.theta = deviations.fit->population.theta;
  return std::move(deviations.fit);
}

}  // namespace

Fitted fit_soft(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const auto report = [&](double done, std::string_view what) {
    if (progress) progress(done, what);
  };
  report(0, "fitting the pooled model");
  const Problem problem = problem_of(log, options, threads);
  const PooledFit pooled = fit_pooled(problem, threads);
  SelectionOptions choices = selection_options(problem, options, threads);
  continue_from(log, options, choices);
  const Estimator estimator = estimator_of(log, options, choices);
  const auto step = [&](double done) {
    report(0.05 + 0.85 * done, estimator == Estimator::kBayes
                                   ? "sampling the posterior"
                                   : "comparing settings on held-out rows");
  };
  Estimate found{{}, {pooled.fit.layout, pooled.fit.theta, {}}, "the pooled model was asked for"};
  if (choices.experts.empty()) {
    found.average.selection = select_settings(log, problem, pooled.penalty, choices, step);
  } else {
    SamplingOptions sampling = sampling_options(options, threads);
    sampling.start = choices.start;
    found = estimate_mixture(log, problem, pooled, estimator,
                             options.experts.is_auto() && options.init == nullptr,
                             options.deploy == Deploy::kDistilled, choices, sampling, step);
  }
  FitReport record = begin_report(log, options);
  add_estimate(found, record);
  const auto units = fit_deviations(
      log, problem, pooled, choices,
      [&](double done) { report(0.9 + 0.1 * done, "learning how units differ"); }, found, record);
  const StandardisedModel on_columns = deployed(problem, options, found);
  const StandardisedModel model = options.gate == GateChoice::kQuadratic
                                      ? quadratic_model(on_columns, log.num_contexts())
                                      : on_columns;
  record.diagnostics = diagnose(log, problem, found.average.selection.held_out_eta, model);
  record.diagnostics->starts = found.average.selection.starts;
  const auto scorer = deployable(log, problem, model);
  const WeightUncertainty unsure =
      weight_uncertainty(log, problem, pooled, found, on_columns, as_soft_mixture(scorer),
                         units ? &*units : nullptr, threads);
  record.uncertainty_warning = unsure.warning;
  report(1, "done");
  ModelRecord rest{fits_segments(options.method) ? Method::kOtss : options.method, estimator,
                   record, unsure.uncertainty};
  if (units) {
    rest.deviations = deployed_deviations(problem, units->population);
    rest.noise_variance = units->population.noise_variance;
  }
  return assemble(log, problem, model, scorer, rest);
}

}  // namespace otss::internal
