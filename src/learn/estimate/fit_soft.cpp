#include "learn/estimate/fit_soft.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/deploy/assemble.hpp"
#include "learn/deploy/report.hpp"
#include "learn/deploy/warm_start.hpp"
#include "learn/estimate/check_weights.hpp"
#include "learn/estimate/estimate.hpp"
#include "learn/estimate/estimate_report.hpp"
#include "learn/estimate/large_log.hpp"
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
  return is_large_log(log, options) ? Estimator::kMap : automatic_estimator(log, choices);
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

EstimatePlan plan_of(const LoggedData& log, const Problem& problem, const FitOptions& options,
                     int threads) {
  EstimatePlan plan{.any_count = options.experts.is_auto() && options.init == nullptr,
                    .may_blend = options.deploy == Deploy::kDistilled,
                    .choices = selection_options(problem, options, threads),
                    .sampling = sampling_options(options, threads)};
  continue_from(log, options, plan.choices);
  plan.estimator = estimator_of(log, options, plan.choices);
  plan.sampling.start = plan.choices.start;
  return plan;
}

// Returns the samples on which the settings are chosen and judged, or nothing if the log is not
// large. A posterior is always that of all rows.
std::optional<RowSamples> samples_of(const LoggedData& log, const Problem& problem,
                                     const FitOptions& options, const EstimatePlan& plan) {
  if (plan.estimator == Estimator::kBayes) return std::nullopt;
  const int most_experts =
      plan.choices.experts.empty() ? 1 : std::ranges::max(plan.choices.experts);
  return large_log_samples(log, options, problem.layout(most_experts).size());
}

// Compares the settings of a large log by one split of the sample, unless the user or the log's
// times say how rows are held out.
void choose_on_sample(const LoggedData& log, const FitOptions& options, SelectionOptions& choices) {
  choices.is_sample = true;
  // A fit that continues an earlier model has one start, to keep the order of its experts.
  if (options.restarts.is_auto() && options.init == nullptr)
    choices.starts = defaults::kSampleStarts;
  if (options.folds.is_auto() && choices.validation == 0 && log.times().empty())
    choices.validation = defaults::kSampleHeldOutShare;
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

// True if mixtures of probabilities may be deployed. They exist for 0/1 outcomes only, and their fits
// do not obey bounds. They are penalised fits, so they are not what --estimator bayes asks for.
// Deviations of units are those of linear predictors. With many columns the fits would take long.
bool may_mix_probabilities(const LoggedData& log, const Problem& problem,
                           const FitOptions& options) {
  if (options.estimator == Estimator::kBayes) return false;
  return log.units().empty() && options.method == Method::kAuto &&
         options.gate == GateChoice::kLinear && options.deploy == Deploy::kDistilled &&
         problem.family() == OutputFamily::kBernoulli && problem.bounds.standardised.empty() &&
         problem.num_contexts <= defaults::kManyColumns &&
         problem.num_factors() <= defaults::kManyColumns;
}

// Returns the deployed model in the problem's units. Its gate is a function of the problem's
// columns.
StandardisedModel deployed(const Problem& problem, const FitOptions& options,
                           const Estimate& found) {
  if (found.probabilities.chosen) {
    StandardisedModel model = mixture_model(found.probabilities.layout, found.probabilities.theta);
    model.mixes_probabilities = true;
    return options.init == nullptr ? ordered_by_use(problem, model) : model;
  }
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
  const WithoutDeviations without{layout, found.distilled.theta,
                                  deployed_penalty(found, pooled, layout.num_experts),
                                  found.average.selection.held_out_eta};
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
  std::optional<StageTimer> timer(std::in_place, Stage::kPooled);
  const Problem problem = problem_of(log, options, threads);
  EstimatePlan plan = plan_of(log, problem, options, threads);
  const auto step = [&](double done) {
    report(0.05 + 0.85 * done, plan.estimator == Estimator::kBayes
                                   ? "sampling the posterior"
                                   : "comparing settings on held-out rows");
  };
  const std::optional<RowSamples> samples = samples_of(log, problem, options, plan);
  if (samples) choose_on_sample(log, options, plan.choices);
  const PooledFit pooled = samples ? fit_pooled(rows_of(problem, samples->first), threads)
                                   : fit_pooled(problem, threads);
  timer.reset();
  Estimate found = samples ? estimate_through_sample(log, problem, pooled, plan, *samples, step)
                           : estimate_mixture(log, problem, pooled, plan, step);
  // The settings of a large log are chosen on a sample, and these mixtures are not among them.
  if (!samples && may_mix_probabilities(log, problem, options) && !plan.choices.experts.empty()) {
    report(0.9, "comparing with mixtures of probabilities");
    const StageTimer of_choice(Stage::kChoose);
    consider_probabilities(log, problem, pooled, plan.choices, found);
  }
  const ProbabilityMixture& probabilities = found.probabilities;
  timer.emplace(Stage::kUncertainty);
  FitReport record = begin_report(log, options);
  add_estimate(found, record);
  const auto units = fit_deviations(
      log, problem, pooled, plan.choices,
      [&](double done) { report(0.9 + 0.1 * done, "learning how units differ"); }, found, record);
  const StandardisedModel on_columns = deployed(problem, options, found);
  const StandardisedModel model = options.gate == GateChoice::kQuadratic
                                      ? quadratic_model(on_columns, log.num_contexts())
                                      : on_columns;
  const auto scorer = deployable(log, problem, model);
  WeightUncertainty unsure;
  WeightChecks checks;
  parallel_for(3, threads, [&](std::size_t task) {
    if (task == 0) {
      unsure = weight_uncertainty(log, problem, pooled, found, on_columns, as_soft_mixture(scorer),
                                  units ? &*units : nullptr, threads);
    } else if (task == 1) {
      // A gate is not tested beside deviations of units, which are integrated out of the predictors.
      if (!units && !plan.choices.experts.empty())
        checks.gate = check_gate(log, problem, on_columns, threads);
    } else {
      record.diagnostics = diagnose(
          log, problem,
          probabilities.chosen ? probabilities.held_out_eta : found.average.selection.held_out_eta,
          model);
      record.diagnostics->starts = found.average.selection.starts;
    }
  });
  record.uncertainty_warning = unsure.warning;
  if (!plan.choices.experts.empty()) {
    const Uncertainty* uncertainty = as_uncertainty(unsure.uncertainty);
    if (uncertainty != nullptr)
      checks.known_share = known_share(log, *as_soft_mixture(scorer), *uncertainty,
                                       record.context_gain.value_or(record.gain.value()));
    record.weight_checks = std::move(checks);
  }
  report(1, "done");
  ModelRecord rest{fits_segments(options.method) ? Method::kOtss : options.method,
                   probabilities.chosen ? Estimator::kMap : plan.estimator, record,
                   unsure.uncertainty};
  if (units) {
    rest.deviations = deployed_deviations(problem, units->population);
    rest.noise_variance = units->population.noise_variance;
  }
  return assemble(log, problem, model, scorer, rest);
}

}  // namespace otss::internal
