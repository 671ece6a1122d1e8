#include "learn/estimate/fit_soft.hpp"

#include <algorithm>
#include <optional>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/estimate/deploy_estimate.hpp"
#include "learn/estimate/estimate_report.hpp"
#include "learn/estimate/fit_plan.hpp"
#include "learn/estimate/fit_rows.hpp"
#include "learn/estimate/large_log.hpp"
#include "learn/mixture/noise_units.hpp"
#include "learn/options/defaults.hpp"
#include "learn/options/log_requirements.hpp"
#include "learn/problem/constraints.hpp"

namespace otss::internal {
namespace {

// With units, the rows are divided into folds once instead of defaults::kRepeats times. The settings
// are those of the population, and a unit's own rows say more about the unit than another division
// would change. The other divisions took a third of the time (docs/adr/0032).
constexpr int kRepeatsWithUnits = 1;

// Returns the estimator to use, which is never kAuto. For the pooled model, which is a single
// penalised fit, it is kMap.
Estimator estimator_of(const LoggedData& log, const FitOptions& options,
                       const SelectionOptions& choices) {
  if (options.estimator != Estimator::kAuto) return options.estimator;
  // Posterior draws cannot be picked: only penalised fits have settings with a held-out loss each.
  if (choices.experts.empty() || choices.treatment == Treatment::kPick) return Estimator::kMap;
  if (options.deploy == Deploy::kMean) return Estimator::kBayes;
  if (!options.sign.empty() || !options.bounds.empty()) return Estimator::kMap;
  return is_large_log(log, options) ? Estimator::kMap : automatic_estimator(log, choices);
}

Problem problem_of(const LoggedData& log, const FitOptions& options, int threads) {
  const OutputFamily family = options.family;
  const Box own_bounds = parse_bounds(options.sign, options.bounds, log.encoder());
  require_rows(log.num_rows(), log.encoder(),
               fits_segments(options.method) ? std::max(1, options.experts.value) : 1);
  const OutcomeUnits units =
      family == OutputFamily::kGaussian ? noise_units(log, own_bounds, threads) : OutcomeUnits{};
  const Problem problem = whole_problem(log, family, units, own_bounds);
  return options.gate == GateChoice::kQuadratic ? quadratic_problem(problem) : problem;
}

// True if mixtures of probabilities may be deployed. They exist for 0/1 outcomes only, and their fits
// do not obey bounds. They are penalised fits, so they are not what --estimator bayes asks for. They
// are compared with an average, so they are not settings that --treatment pick could pick.
// Deviations of units are those of linear predictors. With many columns the fits would take long.
bool may_mix_probabilities(const LoggedData& log, const Problem& problem,
                           const FitOptions& options) {
  if (options.estimator == Estimator::kBayes || options.treatment == Treatment::kPick) return false;
  return log.units().empty() && options.method == Method::kAuto &&
         options.gate == GateChoice::kLinear && options.deploy == Deploy::kDistilled &&
         problem.family() == OutputFamily::kBernoulli && problem.bounds.standardised.empty() &&
         problem.num_contexts <= defaults::kManyColumns &&
         problem.num_factors() <= defaults::kManyColumns;
}

// Fits a log that is not large, or that has too few groups for samples.
Fitted fit_all_rows(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const auto report = [&](double done, std::string_view what) {
    if (progress) progress(done, what);
  };
  report(0, "fitting the pooled model");
  std::optional<StageTimer> timer(std::in_place, Stage::kPooled);
  const Problem problem = problem_of(log, options, threads);
  const ProblemSize size{problem.num_rows(), problem.num_contexts, problem.num_factors(),
                         !problem.bounds.standardised.empty()};
  EstimatePlan plan = plan_estimate(size, log.encoder(), options, threads);
  if (!log.units().empty()) plan.choices.repeats = kRepeatsWithUnits;
  plan.estimator = estimator_of(log, options, plan.choices);
  const PooledFit pooled = fit_pooled(problem, threads);
  timer.reset();
  Estimate found = estimate_mixture(log, problem, pooled, plan, [&](double done) {
    report(0.05 + 0.85 * done, plan.estimator == Estimator::kBayes
                                   ? "sampling the posterior"
                                   : "comparing settings on held-out rows");
  });
  if (may_mix_probabilities(log, problem, options) && !plan.choices.experts.empty()) {
    report(0.9, "comparing with mixtures of probabilities");
    const StageTimer of_choice(Stage::kChoose);
    consider_probabilities(log, problem, pooled, plan.choices, found);
  }
  timer.emplace(Stage::kUncertainty);
  FitReport record = begin_report(log, options);
  add_estimate(found, record);
  const auto units = fit_deviations(
      log, problem, pooled, found.average.selection.held_out_eta, plan.choices,
      [&](double done) { report(0.9 + 0.1 * done, "learning how units differ"); }, found, record);
  const CovarianceOf covariance_of = covariance_of_rows(log, problem, units, threads);
  const std::vector<double>& held_out_eta = found.probabilities.chosen
                                                ? found.probabilities.held_out_eta
                                                : found.average.selection.held_out_eta;
  Fitted fitted = deploy_estimate({.log = log,
                                   .problem = problem,
                                   .held_out = {log, problem, held_out_eta},
                                   .pooled = pooled,
                                   .covariance_of = covariance_of,
                                   .estimator = plan.estimator,
                                   .has_segments = !plan.choices.experts.empty(),
                                   .num_threads = threads},
                                  found, options, std::move(record), units);
  report(1, "done");
  return fitted;
}

}  // namespace

Fitted fit_soft(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  require_outcomes(log, options.family);
  // The settings of a large log are chosen on a sample, unless posterior draws are asked for.
  if (is_large_log(log, options) && can_fit_rows(options)) {
    const auto rows = make_rows(log, {options.device, options.storage, options.threads});
    auto fitted = fit_rows(*rows, options, progress, log.units().empty() ? nullptr : &log);
    if (fitted) return *std::move(fitted);
  }
  return fit_all_rows(log, options, progress);
}

}  // namespace otss::internal
