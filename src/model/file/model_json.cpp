#include "model/file/model_json.hpp"

#include <fmt/core.h>

#include "model/file/consistency.hpp"
#include "model/file/report_json.hpp"
#include "model/file/schema_json.hpp"
#include "model/file/scorer_json.hpp"
#include "model/file/uncertainty_json.hpp"
#include "model/file/units_json.hpp"
#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {
namespace {

Json baseline_to_json(const Fitted& fitted) {
  const Baseline& baseline = fitted.baseline();
  Json json = {{"intercept", baseline.intercept},
               {"slopes", baseline.slopes},
               {"expert_intercepts", baseline.expert_intercepts}};
  if (fitted.family() == OutputFamily::kGaussian) json["noise_sd"] = baseline.noise;
  return json;
}

Baseline baseline_from_json(JsonFields fields, OutputFamily family) {
  Baseline baseline{fields.number("intercept"), fields.numbers("slopes"),
                    fields.numbers("expert_intercepts")};
  if (family == OutputFamily::kGaussian) {
    baseline.noise = fields.number("noise_sd");
    if (!(baseline.noise > 0)) fields.fail("noise_sd", "is not positive");
  }
  fields.finish();
  return baseline;
}

// Reads the field `name`, whose value is a word. Returns the enum value that has this word.
template <class Enum>
Enum value_from_json(JsonFields& document, const std::string& name) {
  const auto value = parse_word<Enum>(document.text(name));
  if (!value)
    document.fail(name,
                  "has a value that this version of otss does not know; install a newer version, "
                  "or fit the model again");
  return *value;
}

// Reads whether a model mixes probabilities. Files of version 1 do not have this field: in version
// 1, only models of the method em mixed probabilities.
bool mixes_probabilities_from_json(JsonFields& document, int version, const Fitted::Parts& parts) {
  if (version == 1) return parts.method == Method::kEm;
  const bool mixes = document.flag("mixes_probabilities");
  const bool has_experts = as_soft_mixture(parts.scorer) != nullptr;
  if (mixes && !(has_experts && parts.family == OutputFamily::kBernoulli))
    document.fail(
        "mixes_probabilities",
        "is true, but the model has no experts or its outcomes are not 0/1; fit the model again");
  return mixes;
}

}  // namespace

Json model_to_json(const Fitted& fitted) {
  Json document = {{"format", "otss-model"},
                   {"version", kModelVersion},
                   {"schema", schema_to_json(fitted.encoder(), fitted.roles())},
                   {"method", word(fitted.method())},
                   {"estimator", word(fitted.estimator())},
                   {"family", word(fitted.family())},
                   {"mixes_probabilities", fitted.mixes_probabilities()},
                   {"baseline", baseline_to_json(fitted)},
                   {"uncertainty", uncertainty_to_json(fitted.parts().uncertainty)},
                   {"provenance", report_to_json(fitted.report(), fitted.family())}};
  if (fitted.deviations() != nullptr) document["units"] = units_to_json(*fitted.deviations());
  scorer_to_json(fitted.parts().scorer, fitted.encoder(), document);
  return document;
}

Fitted model_from_json(JsonFields& document, int version) {
  Fitted::Parts parts;
  schema_from_json(document.object("schema"), version, parts.encoder, parts.roles);
  parts.method = value_from_json<Method>(document, "method");
  parts.estimator = value_from_json<Estimator>(document, "estimator");
  if (parts.estimator == Estimator::kAuto)
    document.fail(
        "estimator",
        "is auto, but a model file must name the estimator that was used; fit the model again");
  parts.family = value_from_json<OutputFamily>(document, "family");
  if (parts.encoder.factors.empty()) document.fail("schema", "has no factors");
  parts.scorer = scorer_from_json(document, parts.method, parts.encoder);
  parts.mixes_probabilities = mixes_probabilities_from_json(document, version, parts);
  parts.baseline = baseline_from_json(document.object("baseline"), parts.family);
  parts.uncertainty = uncertainty_from_json(document, parts.scorer);
  if (version >= 2 && document.has("units"))
    parts.deviations = units_from_json(document.object("units"), parts.encoder.factors.size());
  parts.report = report_from_json(document, version, parts.family);
  document.finish();
  check_consistency(document, parts);
  return Fitted(std::move(parts));
}

}  // namespace otss::internal
