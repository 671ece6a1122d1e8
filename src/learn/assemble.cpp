#include "learn/assemble.hpp"

#include "otss/model/weight_maps.hpp"

namespace otss {

Fitted assemble(const LoggedData& log, const Model& model, const std::string& method,
                const std::string& estimator, const Json& provenance) {
  std::vector<double> scales;
  for (const FactorColumn& factor : log.encoder().factors) scales.push_back(factor.scale);
  Fitted::Parts parts;
  parts.method = method;
  parts.estimator = estimator;
  parts.family = "bernoulli";
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  parts.baseline = model.baseline;
  const auto* map = dynamic_cast<const WeightMap*>(model.scorer.get());
  parts.scorer = map != nullptr ? in_units(*map, scales) : model.scorer;
  parts.provenance = provenance.dump();
  return Fitted(std::move(parts));
}

}  // namespace otss
