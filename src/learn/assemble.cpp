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

}  // namespace

Fitted assemble(const LoggedData& log, const Outcomes& outcomes, const Model& model,
                const std::string& method, const std::string& estimator, const Json& provenance) {
  const OutcomeUnits units = outcomes.units();
  std::vector<double> scales;
  for (const FactorColumn& factor : log.encoder().factors)
    scales.push_back(factor.scale / units.scale);
  Fitted::Parts parts;
  parts.method = method;
  parts.estimator = estimator;
  parts.family = outcomes.family().name();
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.baseline = in_own_units(model.baseline, units);
  const auto* map = dynamic_cast<const WeightMap*>(model.scorer.get());
  parts.scorer = map != nullptr ? in_units(*map, scales) : model.scorer;
  parts.provenance = provenance.dump();
  return Fitted(std::move(parts));
}

}  // namespace otss
