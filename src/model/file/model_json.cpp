#include "model/file/model_json.hpp"

#include <fmt/core.h>

#include "model/file/schema_json.hpp"
#include "model/file/scorer_json.hpp"
#include "model/file/uncertainty_json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/output_family.hpp"

namespace otss {
namespace {

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
                   {"schema", schema_to_json(fitted.encoder(), fitted.roles())},
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
