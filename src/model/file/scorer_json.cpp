#include "model/file/scorer_json.hpp"

#include <fmt/core.h>

#include <set>

#include "model/file/gate_json.hpp"
#include "model/file/tree_json.hpp"

namespace otss::internal {
namespace {

// Returns the kinds of gate, weight map or trees that a model of this method can have.
std::set<std::string> kinds_of(Method method) {
  switch (method) {
    case Method::kOtss: return {"linear", "quadratic", "mlp", "average"};
    case Method::kPooled: return {"linear"};
    // An average of settings can be that of the pooled model alone, whose gate is linear.
    case Method::kEm: return {"linear", "average"};
    case Method::kHard: return {"one-hot", "average", "linear"};
    case Method::kCluster: return {"fixed", "average", "linear"};
    case Method::kLinear:
    case Method::kLowRank: return {"linear weights"};
    case Method::kMlp: return {"network weights"};
    case Method::kGbm: return {"trees"};
    case Method::kAuto: break;  // an option of a fit, never of a model
  }
  return {};
}

Json experts_to_json(const SoftMixture& mixture, const Encoder& encoder) {
  Json experts = Json::array();
  for (int k = 0; k < mixture.num_experts(); ++k) {
    Json expert = Json::object();
    for (std::size_t j = 0; j < encoder.factors.size(); ++j)
      expert[encoder.factors[j].name] = mixture.expert(k)[j];
    experts.push_back(std::move(expert));
  }
  return experts;
}

std::vector<double> experts_from_json(const Json& experts, const Encoder& encoder,
                                      const std::string& where) {
  std::vector<double> values;
  for (std::size_t k = 0; k < experts.size(); ++k) {
    JsonFields expert(experts[k], fmt::format("{}: experts[{}]", where, k));
    for (const FactorColumn& factor : encoder.factors) values.push_back(expert.number(factor.name));
    expert.finish();
  }
  return values;
}

AnyScorer weight_map_from_json(JsonFields fields, const std::string& kind, int num_contexts,
                               int num_factors) {
  AnyScorer scorer;
  if (kind == "linear weights") {
    std::vector<double> intercepts = fields.numbers("intercepts");
    if (intercepts.size() != static_cast<std::size_t>(num_factors))
      fields.fail("intercepts", "does not have one entry per factor");
    std::vector<double> slopes = matrix_from_json(fields, "slopes", num_factors, num_contexts);
    scorer =
        std::make_shared<LinearWeights>(num_contexts, std::move(slopes), std::move(intercepts));
  } else if (kind == "network weights") {
    scorer = std::make_shared<NetworkWeights>(network_from_json(fields, num_contexts, num_factors));
  } else {
    fields.fail("kind",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  }
  fields.text("kind");
  fields.finish();
  return scorer;
}

AnyScorer mixture_from_json(JsonFields& document, Method method, const Encoder& encoder) {
  Gate gate = gate_from_json(document.object("gate"), encoder.num_encoded());
  const Json& experts = document.array("experts");
  if (experts.size() != static_cast<std::size_t>(num_experts(gate)))
    document.fail("experts", "has another number of experts than the gate");
  if (method == Method::kPooled && experts.size() != 1)
    document.fail("experts", "has more than one expert in a pooled model");
  const bool routes = method == Method::kHard || method == Method::kCluster;
  if (routes && kind_of(gate) == GateKind::kLinear && experts.size() != 1)
    document.fail("gate",
                  "is of a kind that the model's method does not have; fit the model again");
  return std::make_shared<SoftMixture>(std::move(gate), static_cast<int>(encoder.factors.size()),
                                       experts_from_json(experts, encoder, document.where()));
}

struct ScorerWriter {
  const Encoder& encoder;
  Json& document;

  void operator()(const std::shared_ptr<const SoftMixture>& mixture) const {
    document["gate"] = gate_to_json(mixture->gate());
    document["experts"] = experts_to_json(*mixture, encoder);
  }
  void operator()(const std::shared_ptr<const LinearWeights>& linear) const {
    const auto intercepts = linear->intercepts();
    document["weight_map"] = {
        {"kind", "linear weights"},
        {"slopes", matrix_to_json(linear->slopes(), linear->num_contexts())},
        {"intercepts", std::vector<double>(intercepts.begin(), intercepts.end())}};
  }
  void operator()(const std::shared_ptr<const NetworkWeights>& map) const {
    document["weight_map"] = network_to_json(map->network());
    document["weight_map"]["kind"] = "network weights";
  }
  void operator()(const std::shared_ptr<const TreeScorer>& trees) const {
    document["trees"] = trees_to_json(*trees);
  }
};

}  // namespace

void scorer_to_json(const AnyScorer& scorer, const Encoder& encoder, Json& document) {
  std::visit(ScorerWriter{encoder, document}, scorer);
}

AnyScorer scorer_from_json(JsonFields& document, Method method, const Encoder& encoder) {
  std::string field = "gate";
  for (const char* other : {"weight_map", "trees"}) {
    if (document.has(other)) field = other;
  }
  const std::string kind = document.object(field).text("kind");
  if (!kinds_of(method).contains(kind))
    document.fail(field, "is of a kind that the model's method does not have; fit the model again");
  if (field == "gate") return mixture_from_json(document, method, encoder);
  const int num_factors = static_cast<int>(encoder.factors.size());
  if (field == "trees")
    return trees_from_json(document.object(field), encoder.num_encoded(), num_factors);
  return weight_map_from_json(document.object(field), kind, encoder.num_encoded(), num_factors);
}

}  // namespace otss::internal
