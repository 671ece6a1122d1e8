#include "learn/deploy/assemble.hpp"

#include <stdexcept>

#include "otss/model/tree_scorer.hpp"
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

std::shared_ptr<const Scorer> in_log_units(const Scorer& scorer, const Encoder& encoder,
                                           const Problem& problem) {
  const double unit = problem.outcomes.units().scale;
  std::vector<double> centers;
  std::vector<double> scales;
  for (const FactorColumn& factor : encoder.factors) {
    centers.push_back(factor.center);
    scales.push_back(factor.scale / unit);
  }
  if (const auto* map = dynamic_cast<const WeightMap*>(&scorer))
    return obeying(in_units(*map, scales), problem);
  if (const auto* trees = dynamic_cast<const TreeScorer*>(&scorer))
    return std::make_shared<TreeScorer>(in_units(*trees, centers, scales));
  throw std::logic_error("a scorer of an unknown kind");
}

}  // namespace

std::shared_ptr<const Scorer> deployable(const LoggedData& log, const Problem& problem,
                                         const StandardisedModel& model) {
  return in_log_units(*model.scorer, log.encoder(), problem);
}

Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                std::shared_ptr<const Scorer> scorer, const ModelRecord& record) {
  Fitted::Parts parts;
  parts.method = record.method;
  parts.estimator = record.estimator;
  parts.family = problem.family().name();
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.baseline = in_own_units(model.baseline, problem.outcomes.units());
  parts.scorer = std::move(scorer);
  parts.mixes_probabilities = model.mixes_probabilities;
  parts.uncertainty = record.uncertainty;
  parts.provenance = record.provenance.dump();
  return Fitted(std::move(parts));
}

Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                const std::string& method, const std::string& estimator, const Json& provenance) {
  return assemble(log, problem, model, deployable(log, problem, model),
                  {method, estimator, provenance});
}

}  // namespace otss
