#include "learn/estimate/fit_rows.hpp"

#include <algorithm>
#include <limits>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/estimate/deploy_estimate.hpp"
#include "learn/estimate/estimate_report.hpp"
#include "learn/estimate/fit_plan.hpp"
#include "learn/estimate/large_log.hpp"
#include "learn/mixture/noise_units.hpp"
#include "learn/options/defaults.hpp"
#include "learn/options/log_requirements.hpp"
#include "learn/problem/constraints.hpp"
#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

// The gate's shares are counted on at least so many evenly spaced rows.
constexpr std::size_t kDescribedRows = 20'000;

ProblemSize size_of(const RowsFacts& facts, const FitOptions& options, bool is_bounded) {
  const int contexts = facts.encoder.num_encoded();
  const bool quadratic = options.gate == GateChoice::kQuadratic;
  return {facts.num_rows, quadratic ? static_cast<int>(num_quadratic_columns(contexts)) : contexts,
          static_cast<int>(facts.encoder.factors.size()), is_bounded};
}

// Compares the settings of a large log by one split of the sample, unless the user or the log's
// times say how rows are held out.
void choose_on_sample(const RowsFacts& facts, const FitOptions& options,
                      SelectionOptions& choices) {
  choices.is_sample = true;
  // A fit that continues an earlier model has one start, to keep the order of its experts.
  if (options.restarts.is_auto() && options.init == nullptr)
    choices.starts = defaults::kSampleStarts;
  if (options.folds.is_auto() && choices.validation == 0 && !facts.has_times)
    choices.validation = defaults::kSampleHeldOutShare;
}

// Returns the predictors of the whole log's rows: `eta` for the given rows, NaN for all others.
std::vector<double> of_all_rows(std::size_t num_rows, std::span<const std::size_t> rows,
                                std::span<const double> eta) {
  std::vector<double> all(num_rows, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) all[rows[i]] = eta[i];
  return all;
}

}  // namespace

bool can_fit_rows(const FitOptions& options) {
  return options.estimator != Estimator::kBayes && options.deploy != Deploy::kMean;
}

std::optional<Fitted> fit_rows(Rows& rows, const FitOptions& options, const Progress& progress,
                               const LoggedData* with_units) {
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const RowsFacts& facts = rows.facts();
  const auto report = [&](double done, std::string_view what) {
    if (progress) progress(done, what);
  };
  report(0, "fitting the pooled model");
  std::optional<StageTimer> timer(std::in_place, Stage::kPooled);
  const Box own_bounds = parse_bounds(options.sign, options.bounds, facts.encoder);
  require_rows(facts.num_rows, facts.encoder,
               fits_segments(options.method) ? std::max(1, options.experts.value) : 1);
  const ProblemSize size = size_of(facts, options, !own_bounds.empty());
  EstimatePlan plan = plan_estimate(size, facts.encoder, options, threads);
  const auto drawn =
      large_log_sample_options(facts.num_counting, options, most_parameters(size, plan));
  const auto samples = drawn ? rows.samples(*drawn) : std::nullopt;
  if (!samples) return std::nullopt;
  choose_on_sample(facts, options, plan.choices);

  SumTarget target{.family = options.family, .quadratic = options.gate == GateChoice::kQuadratic};
  LoggedData of_first = rows.take(samples->first);
  if (target.family == OutputFamily::kGaussian)
    target.units = noise_units(of_first, own_bounds, threads);
  const LargeProblem all(rows, target, own_bounds);
  const TakenRows first = taken(std::move(of_first), target, own_bounds);
  const TakenRows second = all.take(samples->second);
  const PooledFit pooled = fit_pooled(first.problem, threads);
  timer.reset();
  Estimate found = estimate_through_sample(all, first, second, pooled, plan, [&](double done) {
    report(0.05 + 0.85 * done, "comparing settings on held-out rows");
  });

  timer.emplace(Stage::kUncertainty);
  FitReport record = begin_report(FittedData{facts.num_rows, facts.fingerprint}, options);
  add_estimate(found, record);
  const std::vector<double> held_out_eta = found.average.selection.held_out_eta;
  std::optional<MarginalFit> units;
  std::optional<Problem> whole;
  CovarianceOf covariance_of = [&](const Penalty& penalty, const SumRequest& at) {
    return fit_covariance(all, penalty, at, threads);
  };
  if (with_units != nullptr) {
    whole = whole_problem(*with_units, target.family, target.units, own_bounds);
    units = fit_deviations(
        *with_units, *whole, pooled, of_all_rows(facts.num_rows, samples->second, held_out_eta),
        plan.choices, [&](double done) { report(0.9 + 0.1 * done, "learning how units differ"); },
        found, record);
    if (units) covariance_of = covariance_of_rows(*with_units, *whole, units, threads);
  }
  const TakenRows described = all.evenly_spaced(kDescribedRows);
  Fitted fitted = deploy_estimate({.log = *described.log,
                                   .problem = described.problem,
                                   .held_out = {*second.log, second.problem, held_out_eta},
                                   .pooled = pooled,
                                   .covariance_of = covariance_of,
                                   .estimator = plan.estimator,
                                   .has_segments = !plan.choices.experts.empty(),
                                   .num_threads = threads},
                                  found, options, std::move(record), units);
  report(1, "done");
  return fitted;
}

}  // namespace otss::internal
