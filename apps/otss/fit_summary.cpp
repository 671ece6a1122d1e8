#include "fit_summary.hpp"

#include <string>
#include <vector>

#include "describe_model.hpp"
#include "describe_units.hpp"
#include "messages.hpp"

namespace otss::app {
namespace {

Json gain_to_json(const MeanAndError& gain) {
  const GainVerdict verdict = judge_gain(gain);
  return {{"gain", gain.mean}, {"lo", verdict.lo}, {"hi", verdict.hi}};
}

Json heterogeneity_to_json(const FitReport& report) {
  Json json = gain_to_json(report.gain.value());
  json["supported"] = judge_contexts(report).supported;
  if (report.context_gain) json["of_contexts"] = gain_to_json(*report.context_gain);
  return json;
}

std::vector<std::string> terms_of(const Encoder& encoder) {
  std::vector<std::string> names;
  for (const FactorColumn& factor : encoder.factors) {
    if (factor.term) names.push_back(factor.name);
  }
  return names;
}

}  // namespace

Json summary(const Fitted& fitted, double seconds) {
  const FitReport& report = fitted.report();
  const Mixture* mixture = fitted.mixture();
  return {{"method", word(fitted.method())},
          {"estimator", word(fitted.estimator())},
          {"family", word(fitted.family())},
          {"experts", mixture != nullptr ? Json(mixture->num_experts()) : Json()},
          {"gate", mixture != nullptr ? Json(word(mixture->gate_kind())) : Json()},
          {"rows", report.data.value().rows},
          {"terms", terms_of(fitted.encoder())},
          {"validation_log_loss", report.held_out.value().model},
          {"mixes_probabilities", fitted.mixes_probabilities()},
          {"heterogeneity", heterogeneity_to_json(report)},
          {"units", units_summary(report)},
          {"failed_checks", report.weight_checks ? failed_checks(*report.weight_checks)
                                                 : std::vector<std::string>{}},
          {"seconds", seconds}};
}

void warn_about_uncertainty(const Fitted& fitted) {
  const std::string& warning = fitted.report().uncertainty_warning;
  if (!warning.empty()) note("{}", warning);
}

}  // namespace otss::app
