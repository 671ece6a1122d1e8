#include "learn/deploy/assemble.hpp"

#include <cmath>

#include "model/fitted_parts.hpp"

namespace otss::internal {
namespace {

// Converts the baseline from the outcome's standardised units to the log's units.
Baseline in_own_units(Baseline baseline, const OutcomeUnits& units) {
  baseline.intercept = units.center + units.scale * baseline.intercept;
  for (double& slope : baseline.slopes) slope *= units.scale;
  for (double& intercept : baseline.expert_intercepts) intercept *= units.scale;
  baseline.noise = units.scale;
  return baseline;
}

// Moves weights that are just outside their bounds onto the bounds. Such weights occur because
// converting a weight to standardised units and back can round it.
AnyScorer obeying(const WeightBounds& bounds, AnyScorer scorer) {
  const auto mixture = as_soft_mixture(scorer);
  if (mixture == nullptr || bounds.own_units.empty()) return scorer;
  std::vector<double> experts;
  for (int k = 0; k < mixture->num_experts(); ++k) {
    std::vector<double> expert(mixture->expert(k).begin(), mixture->expert(k).end());
    bounds.own_units.project(expert);
    experts.insert(experts.end(), expert.begin(), expert.end());
  }
  return with_experts(*mixture, std::move(experts));
}

}  // namespace

AnyScorer deployable(const LoggedData& log, const Problem& problem,
                     const StandardisedModel& model) {
  const double unit = problem.outcomes.units().scale;
  std::vector<double> centers;
  std::vector<double> scales;
  for (const FactorColumn& factor : log.encoder().factors) {
    centers.push_back(factor.center);
    scales.push_back(factor.scale / unit);
  }
  return obeying(problem.bounds, in_units(model.scorer, centers, scales));
}

Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                AnyScorer scorer, const ModelRecord& record) {
  Fitted::Parts parts;
  parts.method = record.method;
  parts.estimator = record.estimator;
  parts.family = problem.family();
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.baseline = in_own_units(model.baseline, problem.outcomes.units());
  parts.baseline.noise *= std::sqrt(record.noise_variance);
  parts.scorer = std::move(scorer);
  parts.mixes_probabilities = model.mixes_probabilities;
  parts.uncertainty = record.uncertainty;
  parts.deviations = record.deviations;
  parts.report = record.report;
  return Fitted(std::move(parts));
}

Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                Method method, Estimator estimator, const FitReport& report) {
  return assemble(log, problem, model, deployable(log, problem, model),
                  {method, estimator, report});
}

}  // namespace otss::internal
