#include "learn/assemble.hpp"

#include "otss/model/weight_maps.hpp"

namespace otss {
namespace {

// From the units of the outcome that learners see to the log's own.
Baseline in_own_units(Baseline baseline, const OutcomeUnits& units) {
  baseline.intercept = units.center + units.scale * baseline.intercept;
  for (double& slope : baseline.slopes) slope *= units.scale;
  for (double& intercept : baseline.expert_intercepts) intercept *= units.scale;
  baseline.noise = units.scale;
  return baseline;
}

// Going to standardised units and back rounds a weight on its bound by a bit.
std::shared_ptr<const WeightMap> obeying(std::shared_ptr<const WeightMap> map,
                                         const Problem& problem) {
  const auto* mixture = dynamic_cast<const SoftMixture*>(map.get());
  if (mixture == nullptr || problem.bounds.own_units.empty()) return map;
  std::vector<double> experts;
  for (int k = 0; k < mixture->num_experts(); ++k) {
    std::vector<double> expert(mixture->expert(k).begin(), mixture->expert(k).end());
    problem.bounds.own_units.project(expert);
    experts.insert(experts.end(), expert.begin(), expert.end());
  }
  return std::make_shared<SoftMixture>(mixture->shared_gate(), mixture->num_factors(),
                                       std::move(experts));
}

}  // namespace

Fitted assemble(const LoggedData& log, const Problem& problem, const Model& model,
                const std::string& method, const std::string& estimator, const Json& provenance) {
  const OutcomeUnits units = problem.outcomes.units();
  std::vector<double> scales;
  for (const FactorColumn& factor : log.encoder().factors)
    scales.push_back(factor.scale / units.scale);
  Fitted::Parts parts;
  parts.method = method;
  parts.estimator = estimator;
  parts.family = problem.family().name();
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.baseline = in_own_units(model.baseline, units);
  const auto* map = dynamic_cast<const WeightMap*>(model.scorer.get());
  parts.scorer = map != nullptr ? obeying(in_units(*map, scales), problem) : model.scorer;
  parts.provenance = provenance.dump();
  return Fitted(std::move(parts));
}

}  // namespace otss
