#include "learn/estimate/deploy_estimate.hpp"

#include <utility>

#include "base/threads.hpp"
#include "learn/deploy/assemble.hpp"
#include "learn/estimate/check_weights.hpp"
#include "learn/mixture/covariance.hpp"
#include "learn/options/defaults.hpp"
#include "learn/units/deviations.hpp"
#include "learn/units/marginal_information.hpp"

namespace otss::internal {
namespace {

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

}  // namespace

std::optional<MarginalFit> fit_deviations(const LoggedData& log, const Problem& problem,
                                          const PooledFit& pooled,
                                          std::span<const double> held_out_eta,
                                          const SelectionOptions& choices,
                                          const std::function<void(double)>& progress,
                                          Estimate& found, FitReport& record) {
  if (log.units().empty()) return std::nullopt;
  const MixtureLayout layout = found.distilled.layout;
  const WithoutDeviations without{layout,
                                  found.distilled.theta,
                                  deployed_penalty(found, pooled, layout.num_experts),
                                  {held_out_eta.begin(), held_out_eta.end()}};
  DeviationEstimate deviations =
      estimate_deviations(log, problem, without, choices.seed, choices.num_threads, progress);
  record.deviations = std::move(deviations.report);
  if (deviations.fit) found.distilled.theta = deviations.fit->population.theta;
  return std::move(deviations.fit);
}

CovarianceOf covariance_of_rows(const LoggedData& log, const Problem& problem,
                                const std::optional<MarginalFit>& units, int num_threads) {
  return [&log, &problem, &units, num_threads](const Penalty& penalty, const SumRequest& at) {
    if (!units) {
      return fit_covariance(problem, penalty, at.layout, at.theta, log.groups(), num_threads,
                            at.mixed);
    }
    Population population = units->population;
    population.theta = at.theta;  // the deployed model may have the experts in another order
    return marginal_covariance(problem, UnitIndex(log.units()), population, units->sites,
                               units->mean_outcomes, penalty, log.groups(), num_threads);
  };
}

Fitted deploy_estimate(const DeployedFrom& from, const Estimate& found, const FitOptions& options,
                       FitReport record, const std::optional<MarginalFit>& units) {
  const StandardisedModel on_columns = deployed(from.problem, options, found);
  const StandardisedModel model = options.gate == GateChoice::kQuadratic
                                      ? quadratic_model(on_columns, from.log.num_contexts())
                                      : on_columns;
  const auto scorer = deployable(from.log, from.problem, model);
  WeightUncertainty unsure;
  WeightChecks checks;
  // Deviations of units contain what contexts hide, and one trade-off that was asked for is meant as
  // the mean over contexts.
  const bool may_hide = from.has_segments && !units;
  const std::optional<double> hidden =
      may_hide ? hidden_variance(from.log, from.problem, on_columns, from.num_threads) : 0;
  parallel_for(3, from.num_threads, [&](std::size_t task) {
    if (task == 0) {
      unsure = weight_uncertainty(from.log, from.problem, from.pooled, found, on_columns,
                                  as_soft_mixture(scorer), from.covariance_of, hidden.value_or(0),
                                  from.num_threads);
    } else if (task == 1) {
      // A gate is not tested beside deviations of units, which are integrated out of the predictors.
      if (may_hide) checks.gate = check_gate(from.log, from.problem, on_columns, from.num_threads);
    } else {
      record.diagnostics = diagnose(from.held_out, from.log, model);
      record.diagnostics->starts = found.average.selection.starts;
    }
  });
  record.uncertainty_warning = unsure.warning;
  if (from.has_segments) {
    const Uncertainty* uncertainty = as_uncertainty(unsure.uncertainty);
    if (uncertainty != nullptr)
      checks.known_share = hidden ? known_share(from.log, *as_soft_mixture(scorer), *uncertainty,
                                                record.context_gain.value_or(record.gain.value()))
                                  : 0;
    record.weight_checks = std::move(checks);
  }
  ModelRecord rest{fits_segments(options.method) ? Method::kOtss : options.method,
                   found.probabilities.chosen ? Estimator::kMap : from.estimator, record,
                   unsure.uncertainty};
  if (units) {
    rest.deviations = deployed_deviations(from.problem, units->population);
    rest.noise_variance = units->population.noise_variance;
  }
  return assemble(from.log, from.problem, model, scorer, rest);
}

}  // namespace otss::internal
