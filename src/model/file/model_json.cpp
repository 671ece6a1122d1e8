#include "model/file/model_json.hpp"

#include <fmt/core.h>

#include "model/file/scorer_json.hpp"
#include "model/file/uncertainty_json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/output_family.hpp"

namespace otss {
namespace {

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
  return {{"contexts", contexts},
          {"factors", factors},
          {"outcome", roles.outcome},
          {"weight", roles.weight},
          {"group", roles.group},
          {"time", roles.time},
          {"centered_by", roles.centered_by}};
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

// Versions 1 and 2 have the same fields here.
void schema_from_json(JsonFields fields, int /*version*/, Encoder& encoder, Roles& roles) {
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
  roles.centered_by = fields.text("centered_by");
  fields.finish();
  encoder.validate();
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

// Version 1 had no such field: among its methods only EM mixed probabilities.
bool mixes_probabilities_from_json(JsonFields& document, int version, const Fitted::Parts& parts) {
  if (version == 1) return parts.method == "em";
  const bool mixes = document.flag("mixes_probabilities");
  const bool has_experts = dynamic_cast<const SoftMixture*>(parts.scorer.get()) != nullptr;
  if (mixes && !(has_experts && parts.family == "bernoulli"))
    document.fail("mixes_probabilities", "is true in a model without experts of 0/1 outcomes");
  return mixes;
}

}  // namespace

Json model_to_json(const Fitted& fitted) {
  Json document = {{"format", "otss-model"},
                   {"version", kModelVersion},
                   {"schema", schema_to_json(fitted)},
                   {"method", fitted.method()},
                   {"estimator", fitted.estimator()},
                   {"family", fitted.family()},
                   {"mixes_probabilities", fitted.mixes_probabilities()},
                   {"baseline", baseline_to_json(fitted)},
                   {"uncertainty", uncertainty_to_json(
                                       fitted.has_uncertainty() ? &fitted.uncertainty() : nullptr)},
                   {"provenance", Json::parse(fitted.provenance())}};
  scorer_to_json(fitted.scorer(), fitted.encoder(), document);
  return document;
}

Fitted model_from_json(JsonFields& document, int version) {
  Fitted::Parts parts;
  schema_from_json(document.object("schema"), version, parts.encoder, parts.roles);
  parts.method = document.text("method");
  parts.estimator = document.text("estimator");
  parts.family = document.text("family");
  if (!OutputFamily::knows(parts.family)) document.fail("family", "is unknown to this version");
  if (parts.encoder.factors.empty()) document.fail("schema", "has no factors");
  parts.scorer = scorer_from_json(document, parts.method, parts.encoder);
  parts.mixes_probabilities = mixes_probabilities_from_json(document, version, parts);
  parts.baseline = baseline_from_json(document.object("baseline"), parts.family);
  parts.uncertainty = uncertainty_from_json(document, parts.scorer);
  if (!document.field("provenance").is_object()) document.fail("provenance", "is not an object");
  parts.provenance = document.field("provenance").dump();
  document.finish();
  return Fitted(std::move(parts));
}

}  // namespace otss
