#include "learn/assemble.hpp"

#include <stdexcept>

#include "otss/model/tree_scorer.hpp"
#include "otss/model/weight_maps.hpp"

namespace otss {
namespace {

std::shared_ptr<const Scorer> in_log_units(const Scorer& scorer, const Encoder& encoder) {
  std::vector<double> centers;
  std::vector<double> scales;
  for (const FactorColumn& factor : encoder.factors) {
    centers.push_back(factor.center);
    scales.push_back(factor.scale);
  }
  if (const auto* map = dynamic_cast<const WeightMap*>(&scorer)) return in_units(*map, scales);
  if (const auto* trees = dynamic_cast<const TreeScorer*>(&scorer))
    return std::make_shared<TreeScorer>(in_units(*trees, centers, scales));
  throw std::logic_error("a scorer of an unknown kind");
}

}  // namespace

Fitted assemble(const LoggedData& log, const Model& model, const std::string& method,
                const std::string& estimator, const Json& provenance) {
  Fitted::Parts parts;
  parts.method = method;
  parts.estimator = estimator;
  parts.family = "bernoulli";
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.baseline = model.baseline;
  parts.scorer = in_log_units(*model.scorer, log.encoder());
  parts.provenance = provenance.dump();
  return Fitted(std::move(parts));
}

}  // namespace otss
