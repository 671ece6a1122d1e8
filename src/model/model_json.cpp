#include "model/model_json.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"
#include "otss/model/output_family.hpp"

namespace otss {
namespace {

Json matrix(std::span<const double> values, std::size_t columns) {
  Json rows = Json::array();
  for (std::size_t i = 0; columns > 0 && i < values.size(); i += columns) {
    rows.push_back(std::vector<double>(values.begin() + i, values.begin() + i + columns));
  }
  return rows;
}

Json schema_to_json(const Fitted& fitted) {
  Json contexts = Json::array();
  for (const ContextColumn& column : fitted.encoder().contexts) {
    Json entry = {{"name", column.name}, {"missing", column.has_missing}};
    if (column.has_missing) entry["missing_frequency"] = column.missing_frequency;
    if (column.kind == ColumnKind::kNumber) {
      entry["kind"] = "number";
      entry["center"] = column.center;
      entry["scale"] = column.scale;
    } else {
      entry["kind"] = "text";
      entry["levels"] = column.levels;
      entry["frequencies"] = column.level_frequencies;
    }
    contexts.push_back(std::move(entry));
  }
  Json factors = Json::array();
  for (const FactorColumn& factor : fitted.encoder().factors) {
    factors.push_back({{"name", factor.name}, {"center", factor.center}, {"scale", factor.scale}});
  }
  const Roles& roles = fitted.roles();
  return {{"contexts", contexts},   {"factors", factors},   {"outcome", roles.outcome},
          {"weight", roles.weight}, {"group", roles.group}, {"time", roles.time}};
}

ContextColumn context_from_json(const Json& json, const std::string& where) {
  JsonFields fields(json, where);
  ContextColumn column;
  column.name = fields.text("name");
  column.has_missing = fields.flag("missing");
  if (column.has_missing) column.missing_frequency = fields.number("missing_frequency");
  const std::string kind = fields.text("kind");
  if (kind == "number") {
    column.kind = ColumnKind::kNumber;
    column.center = fields.number("center");
    column.scale = fields.number("scale");
  } else if (kind == "text") {
    column.kind = ColumnKind::kText;
    column.levels = fields.texts("levels");
    column.level_frequencies = fields.numbers("frequencies");
  } else {
    fields.fail("kind", "is neither number nor text");
  }
  fields.finish();
  return column;
}

void schema_from_json(JsonFields fields, Encoder& encoder, Roles& roles) {
  for (const Json& json : fields.array("contexts")) {
    const std::string where =
        fmt::format("{}.contexts[{}]", fields.where(), encoder.contexts.size());
    encoder.contexts.push_back(context_from_json(json, where));
    roles.contexts.push_back(encoder.contexts.back().name);
  }
  for (const Json& json : fields.array("factors")) {
    JsonFields factor(json, fmt::format("{}.factors[{}]", fields.where(), encoder.factors.size()));
    encoder.factors.push_back(
        {factor.text("name"), factor.number("center"), factor.number("scale")});
    factor.finish();
    roles.factors.push_back(encoder.factors.back().name);
  }
  roles.outcome = fields.text("outcome");
  roles.weight = fields.text("weight");
  roles.group = fields.text("group");
  roles.time = fields.text("time");
  fields.finish();
  encoder.validate();
}

Json gate_to_json(const Gate& gate) {
  const auto& linear = dynamic_cast<const LinearGate&>(gate);
  return {
      {"kind", "linear"},
      {"slopes", matrix(linear.slopes(), linear.num_contexts())},
      {"intercepts", std::vector<double>(linear.intercepts().begin(), linear.intercepts().end())}};
}

std::shared_ptr<const Gate> gate_from_json(JsonFields fields, int num_contexts) {
  if (fields.text("kind") != "linear") fields.fail("kind", "is unknown to this version");
  std::vector<double> intercepts = fields.numbers("intercepts");
  if (intercepts.empty()) fields.fail("intercepts", "is empty");
  const Json& rows = fields.array("slopes");
  if (num_contexts > 0 && rows.size() != intercepts.size())
    fields.fail("slopes", "does not have a row per expert");
  std::vector<double> slopes;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Json row = {{"row", rows[k]}};
    const std::vector<double> entries =
        JsonFields(row, fmt::format("{}.slopes[{}]", fields.where(), k)).numbers("row");
    if (entries.size() != static_cast<std::size_t>(num_contexts)) {
      fields.fail("slopes", "does not have an entry per encoded context column");
    }
    slopes.insert(slopes.end(), entries.begin(), entries.end());
  }
  fields.finish();
  return std::make_shared<LinearGate>(num_contexts, std::move(slopes), std::move(intercepts));
}

Json experts_to_json(const Fitted& fitted) {
  Json experts = Json::array();
  for (int k = 0; k < fitted.mixture().num_experts(); ++k) {
    Json expert = Json::object();
    for (int j = 0; j < fitted.num_factors(); ++j) {
      expert[fitted.encoder().factors[j].name] = fitted.mixture().expert(k)[j];
    }
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

Json baseline_to_json(const Fitted& fitted) {
  const Baseline& baseline = fitted.baseline();
  Json json = {{"intercept", baseline.intercept},
               {"slopes", baseline.slopes},
               {"expert_intercepts", baseline.expert_intercepts}};
  if (fitted.family() == "gaussian") json["noise_sd"] = baseline.noise;
  return json;
}

Baseline baseline_from_json(JsonFields fields, const std::string& family) {
  Baseline baseline{fields.number("intercept"), fields.numbers("slopes"),
                    fields.numbers("expert_intercepts")};
  if (family == "gaussian") {
    baseline.noise = fields.number("noise_sd");
    if (!(baseline.noise > 0)) fields.fail("noise_sd", "is not positive");
  }
  fields.finish();
  return baseline;
}

}  // namespace

Json model_to_json(const Fitted& fitted) {
  return {{"format", "otss-model"},
          {"version", kModelVersion},
          {"schema", schema_to_json(fitted)},
          {"method", fitted.method()},
          {"estimator", fitted.estimator()},
          {"family", fitted.family()},
          {"gate", gate_to_json(fitted.mixture().gate())},
          {"experts", experts_to_json(fitted)},
          {"baseline", baseline_to_json(fitted)},
          {"uncertainty", nullptr},
          {"provenance", Json::parse(fitted.provenance())}};
}

Fitted model_from_json(JsonFields& document) {
  Fitted::Parts parts;
  schema_from_json(document.object("schema"), parts.encoder, parts.roles);
  parts.method = document.text("method");
  parts.estimator = document.text("estimator");
  parts.family = document.text("family");
  if (parts.method != "otss" && parts.method != "pooled")
    document.fail("method", "is unknown to this version");
  if (!OutputFamily::knows(parts.family)) document.fail("family", "is unknown to this version");
  auto gate = gate_from_json(document.object("gate"), parts.encoder.num_encoded());
  const Json& experts = document.array("experts");
  if (experts.size() != static_cast<std::size_t>(gate->num_experts())) {
    document.fail("experts", "does not match the gate's number of experts");
  }
  if (parts.encoder.factors.empty()) document.fail("schema", "has no factors");
  parts.mixture =
      std::make_shared<SoftMixture>(std::move(gate), static_cast<int>(parts.encoder.factors.size()),
                                    experts_from_json(experts, parts.encoder, document.where()));
  if (parts.method == "pooled" && experts.size() != 1)
    document.fail("experts", "has more than a pooled model's one");
  parts.baseline = baseline_from_json(document.object("baseline"), parts.family);
  if (!document.field("uncertainty").is_null())
    document.fail("uncertainty", "is unknown to this version");
  if (!document.field("provenance").is_object()) document.fail("provenance", "is not an object");
  parts.provenance = document.field("provenance").dump();
  document.finish();
  return Fitted(std::move(parts));
}

}  // namespace otss
