#include "model/file/report_json.hpp"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <limits>

#include "model/file/calibration_json.hpp"
#include "model/file/deviation_report_json.hpp"
#include "model/file/finding_json.hpp"
#include "model/file/weight_checks_json.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// ---- The functions below write a report.

Json values_to_json(const NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values)
    std::visit([&entry = json[name]](const auto& plain) { entry = plain; }, value);
  return json;
}

Json settings_to_json(const AveragedSettings& settings) {
  Json tried = Json::array();
  for (const TriedMixture& one : settings.tried) {
    Json entry = {{"experts", one.experts},
                  {"gate_penalty", one.gate_penalty},
                  {"expert_penalty", one.expert_penalty},
                  {"learns_relevance", one.learns_relevance},
                  {"log_loss", one.log_loss},
                  {"weight", one.weight}};
    if (one.linear_weights) entry["linear_weights"] = true;
    if (one.mixes_probabilities) entry["mixes_probabilities"] = true;
    if (one.same_shares) entry["same_shares"] = true;
    tried.push_back(std::move(entry));
  }
  Json json = {{"tried", tried},
               {"baseline_penalty", settings.baseline_penalty},
               {"center_penalty", settings.center_penalty},
               {"chosen",
                {{"experts", settings.experts},
                 {"distilling_error", settings.distilling.relative},
                 {"distilling_rms", settings.distilling.rms},
                 {"distilling_changed_decisions", settings.distilling.changed_decisions}}}};
  if (settings.few_columns_share) json["few_columns_share"] = *settings.few_columns_share;
  if (settings.seed_changes) json["seed_changes"] = *settings.seed_changes;
  return json;
}

Json tried_to_json(const ComparedSettings::Tried& tried) {
  Json json = {{"setting", values_to_json(tried.setting)}, {"log_loss", tried.log_loss}};
  if (tried.weight) json["weight"] = *tried.weight;
  return json;
}

Json settings_to_json(const ComparedSettings& settings) {
  Json tried = Json::array();
  for (const ComparedSettings::Tried& one : settings.tried) tried.push_back(tried_to_json(one));
  Json json = {{"tried", tried}, {"chosen", values_to_json(settings.chosen)}};
  if (settings.pooled_weight) json["pooled_weight"] = *settings.pooled_weight;
  return json;
}

Json choice_to_json(const ChoiceReport& choice) {
  Json json =
      std::visit([](const auto& settings) { return settings_to_json(settings); }, choice.settings);
  json["why"] = choice.why;
  json["split"] = choice.split;
  if (choice.sample_rows) json["sample_rows"] = *choice.sample_rows;
  for (const TriedGate& one : choice.gates)
    json["gates"].push_back({{"gate", word(one.gate)}, {"log_loss", one.log_loss}});
  return json;
}

Json gain_to_json(const MeanAndError& gain) {
  const GainVerdict verdict = judge_gain(gain);
  return {{"gain", gain.mean},
          {"standard_error", gain.standard_error},
          {"lo", verdict.lo},
          {"hi", verdict.hi}};
}

Json heterogeneity_to_json(const FitReport& report) {
  Json json = gain_to_json(*report.gain);
  json["supported"] = judge_contexts(report).supported;
  if (report.context_gain) json["of_contexts"] = gain_to_json(*report.context_gain);
  return json;
}

const char* squared_error_name(OutputFamily family) {
  return family == OutputFamily::kBernoulli ? "brier" : "squared_error";
}

Json contrast_to_json(const ContextContrast& contrast) {
  Json json = {{"column", contrast.column},
               {"members", contrast.members},
               {"everybody", contrast.everybody},
               {"difference", contrast.difference}};
  if (!contrast.level.empty()) json["level"] = contrast.level;
  if (contrast.missing) json["missing"] = true;
  return json;
}

Json segment_to_json(const SegmentProfile& segment) {
  Json contrasts = Json::array();
  for (const ContextContrast& one : segment.contrasts) contrasts.push_back(contrast_to_json(one));
  return {{"share", segment.share},
          {"members", segment.members},
          {"weights", segment.weights},
          {"contrasts", contrasts}};
}

Json diagnostics_to_json(const FitDiagnostics& diagnostics, OutputFamily family) {
  const PredictionQuality& quality = diagnostics.quality;
  Json json = {{"log_loss", quality.log_loss},
               {"deviance", quality.deviance},
               {"explained", quality.explained},
               {"calibration_slope", quality.calibration_slope},
               {squared_error_name(family), quality.squared_error}};
  if (family == OutputFamily::kBernoulli) json["auc"] = quality.auc;
  if (diagnostics.gate) {
    json["gate_entropy"] = diagnostics.gate->entropy;
    json["effective_experts"] = diagnostics.gate->effective_experts;
    json["effective_experts_overall"] = diagnostics.gate->effective_experts_overall;
    json["expert_usage"] = diagnostics.gate->usage;
  }
  if (diagnostics.starts) {
    json["starts"] = {{"tried", diagnostics.starts->tried},
                      {"agreeing", diagnostics.starts->agreeing}};
  }
  for (const SegmentProfile& one : diagnostics.segments)
    json["segments"].push_back(segment_to_json(one));
  if (!diagnostics.calibration.empty())
    json["calibration"] = calibration_to_json(diagnostics.calibration);
  return json;
}

Json mixing_to_json(const Mixing& mixing) {
  return {{"r_hat", mixing.r_hat}, {"effective_sample", mixing.effective_sample}};
}

Json chains_to_json(const ChainsReport& chains) {
  Json json = {{"experts", chains.experts},
               {"gate_columns", word(chains.gate_columns)},
               {"chains", chains.chains},
               {"draws", chains.draws},
               {"acceptance", chains.acceptance},
               {"log_posterior", mixing_to_json(chains.log_posterior)},
               {"weights", mixing_to_json(chains.weights)}};
  if (!chains.warning.empty()) json["warning"] = chains.warning;
  return json;
}

// ---- The functions below read a report.

// Throws an Error if the object has an unknown field. A file of version 1 may have unknown fields,
// so for version 1 this function does nothing.
void finish(const JsonFields& fields, int version) {
  if (version > 1) fields.finish();
}

// Reads a measured value. The value may be NaN, such as R² if all outcomes are equal. JSON stores
// NaN as null.
double measured(JsonFields& fields, const std::string& name) {
  if (fields.field(name).is_null()) return std::numeric_limits<double>::quiet_NaN();
  return fields.number(name);
}

int small_count(JsonFields& fields, const std::string& name) {
  const std::size_t value = fields.count(name);
  if (value > std::numeric_limits<int>::max())
    fields.fail(name, "is too large; fit the model again");
  return static_cast<int>(value);
}

std::string text_or_empty(JsonFields& fields, const std::string& name) {
  return fields.has(name) ? fields.text(name) : "";
}

NamedValues values_from_json(JsonFields& fields, const std::string& name) {
  JsonFields own = fields.object(name);
  NamedValues values;
  for (const auto& [key, value] : fields.field(name).items()) {
    if (value.is_boolean()) {
      values[key] = own.flag(key);
    } else if (value.is_number_integer()) {
      values[key] = value.get<std::int64_t>();
    } else if (value.is_number()) {
      values[key] = own.number(key);
    } else {
      values[key] = own.text(key);
    }
  }
  return values;
}

// Reads a list of JSON objects and returns one Item per object.
template <class Item>
std::vector<Item> list_from_json(JsonFields& fields, const std::string& name, int version,
                                 Item (*read)(JsonFields&, int version)) {
  std::vector<Item> items;
  for (const Json& json : fields.array(name)) {
    JsonFields item(json, fmt::format("{}.{}[{}]", fields.where(), name, items.size()));
    items.push_back(read(item, version));
    finish(item, version);
  }
  return items;
}

FittedData data_from_json(JsonFields& fields, int) {
  return {fields.count("rows"), fields.text("fingerprint")};
}

TriedMixture tried_mixture_from_json(JsonFields& fields, int) {
  return {small_count(fields, "experts"),
          fields.number("gate_penalty"),
          fields.number("expert_penalty"),
          fields.flag("learns_relevance"),
          fields.has("linear_weights") && fields.flag("linear_weights"),
          fields.has("mixes_probabilities") && fields.flag("mixes_probabilities"),
          fields.has("same_shares") && fields.flag("same_shares"),
          measured(fields, "log_loss"),
          fields.number("weight")};
}

AveragedSettings averaged_from_json(JsonFields& fields, int version) {
  AveragedSettings settings;
  settings.tried = list_from_json(fields, "tried", version, tried_mixture_from_json);
  settings.baseline_penalty = fields.number("baseline_penalty");
  settings.center_penalty = fields.number("center_penalty");
  JsonFields chosen = fields.object("chosen");
  settings.experts = small_count(chosen, "experts");
  settings.distilling = {measured(chosen, "distilling_error"), measured(chosen, "distilling_rms"),
                         measured(chosen, "distilling_changed_decisions")};
  finish(chosen, version);
  if (fields.has("few_columns_share"))
    settings.few_columns_share = fields.number("few_columns_share");
  if (fields.has("seed_changes")) settings.seed_changes = fields.number("seed_changes");
  return settings;
}

ComparedSettings::Tried tried_setting_from_json(JsonFields& fields, int) {
  ComparedSettings::Tried tried{values_from_json(fields, "setting"), measured(fields, "log_loss")};
  if (fields.has("weight")) tried.weight = fields.number("weight");
  return tried;
}

ComparedSettings compared_from_json(JsonFields& fields, int version) {
  ComparedSettings settings;
  settings.tried = list_from_json(fields, "tried", version, tried_setting_from_json);
  settings.chosen = values_from_json(fields, "chosen");
  if (fields.has("pooled_weight")) settings.pooled_weight = fields.number("pooled_weight");
  return settings;
}

TriedGate tried_gate_from_json(JsonFields& fields, int) {
  const auto gate = parse_word<GateChoice>(fields.text("gate"));
  if (!gate || *gate == GateChoice::kAuto)
    fields.fail("gate",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  return {*gate, measured(fields, "log_loss")};
}

ChoiceReport choice_from_json(JsonFields& fields, int version) {
  ChoiceReport choice;
  if (fields.has("baseline_penalty")) {
    choice.settings = averaged_from_json(fields, version);
  } else {
    choice.settings = compared_from_json(fields, version);
  }
  choice.why = fields.text("why");
  choice.split = fields.text("split");
  if (fields.has("sample_rows")) choice.sample_rows = fields.count("sample_rows");
  if (fields.has("gates"))
    choice.gates = list_from_json(fields, "gates", version, tried_gate_from_json);
  return choice;
}

HeldOutLosses held_out_from_json(JsonFields& fields, int) {
  return {measured(fields, "log_loss"), measured(fields, "pooled_log_loss")};
}

// Reads the gain. Files of version 1 have the interval but not the standard error, so for them the
// standard error is computed from the interval.
MeanAndError gain_from_json(JsonFields& fields, int version) {
  MeanAndError gain{fields.number("gain"), 0};
  const double lo = fields.number("lo");
  const double hi = fields.number("hi");
  const GainVerdict unit = judge_gain({0, 1});
  gain.standard_error =
      version == 1 ? (hi - lo) / (unit.hi - unit.lo) : fields.number("standard_error");
  return gain;
}

struct Heterogeneity {
  MeanAndError gain;
  std::optional<MeanAndError> of_contexts;
};

Heterogeneity heterogeneity_from_json(JsonFields& fields, int version) {
  Heterogeneity result{gain_from_json(fields, version), {}};
  fields.flag("supported");
  if (fields.has("of_contexts")) {
    JsonFields own = fields.object("of_contexts");
    result.of_contexts = gain_from_json(own, version);
    finish(own, version);
  }
  return result;
}

GateUse gate_use_from_json(JsonFields& fields) {
  return {fields.number("gate_entropy"), fields.number("effective_experts"),
          fields.number("effective_experts_overall"), fields.numbers("expert_usage")};
}

ContextContrast contrast_from_json(JsonFields& fields, int) {
  return {fields.text("column"),
          text_or_empty(fields, "level"),
          fields.has("missing") && fields.flag("missing"),
          fields.number("members"),
          fields.number("everybody"),
          fields.number("difference")};
}

SegmentProfile segment_from_json(JsonFields& fields, int version) {
  return {fields.number("share"), fields.number("members"), fields.numbers("weights"),
          list_from_json(fields, "contrasts", version, contrast_from_json)};
}

FitDiagnostics diagnostics_from_json(JsonFields& fields, int version, OutputFamily family) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto since_version_2 = [&](const char* name) {
    return version == 1 && !fields.has(name) ? kNone : measured(fields, name);
  };
  FitDiagnostics diagnostics;
  PredictionQuality& quality = diagnostics.quality;
  quality.log_loss = measured(fields, "log_loss");
  quality.squared_error = measured(fields, squared_error_name(family));
  quality.deviance = since_version_2("deviance");
  quality.explained = since_version_2("explained");
  quality.auc = family == OutputFamily::kBernoulli ? measured(fields, "auc") : kNone;
  quality.calibration_slope = measured(fields, "calibration_slope");
  if (fields.has("gate_entropy")) diagnostics.gate = gate_use_from_json(fields);
  if (fields.has("starts")) {
    JsonFields starts = fields.object("starts");
    diagnostics.starts = {small_count(starts, "tried"), small_count(starts, "agreeing")};
    finish(starts, version);
  }
  if (fields.has("segments"))
    diagnostics.segments = list_from_json(fields, "segments", version, segment_from_json);
  if (fields.has("calibration"))
    diagnostics.calibration = calibration_from_json(fields, "calibration");
  return diagnostics;
}

Mixing mixing_from_json(JsonFields fields, int version) {
  const Mixing mixing{measured(fields, "r_hat"), measured(fields, "effective_sample")};
  finish(fields, version);
  return mixing;
}

ChainsReport chains_from_json(JsonFields& fields, int version) {
  ChainsReport chains;
  chains.experts = small_count(fields, "experts");
  const auto columns = parse_word<GateColumns>(fields.text("gate_columns"));
  if (!columns)
    fields.fail("gate_columns",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  chains.gate_columns = *columns;
  chains.chains = small_count(fields, "chains");
  chains.draws = fields.count("draws");
  chains.acceptance = fields.number("acceptance");
  chains.log_posterior = mixing_from_json(fields.object("log_posterior"), version);
  chains.weights = mixing_from_json(fields.object("weights"), version);
  chains.warning = text_or_empty(fields, "warning");
  return chains;
}

// Calls `read`, which reads one part of the report. In a file of version 1, a part with an
// unexpected form is skipped.
void read_part(int version, const std::function<void()>& read) {
  if (version > 1) return read();
  try {
    read();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the part counts as absent
  }
}

}  // namespace

Json report_to_json(const FitReport& report, OutputFamily family) {
  Json json = Json::object();
  if (!report.software.empty()) json["software"] = report.software;
  if (!report.options.empty()) json["options"] = values_to_json(report.options);
  if (report.data)
    json["data"] = {{"rows", report.data->rows}, {"fingerprint", report.data->fingerprint}};
  if (report.choice) json["selection"] = choice_to_json(*report.choice);
  if (report.held_out) {
    json["validation"] = {{"log_loss", report.held_out->model},
                          {"pooled_log_loss", report.held_out->pooled}};
  }
  if (report.gain) json["heterogeneity"] = heterogeneity_to_json(report);
  if (report.deviations) json["units"] = deviation_report_to_json(*report.deviations);
  if (report.diagnostics) json["diagnostics"] = diagnostics_to_json(*report.diagnostics, family);
  for (const ChainsReport& one : report.chains) json["posteriors"].push_back(chains_to_json(one));
  if (!report.uncertainty_warning.empty())
    json["uncertainty"] = {{"warning", report.uncertainty_warning}};
  if (report.weight_checks) json["weight_checks"] = weight_checks_to_json(*report.weight_checks);
  if (report.findings) json["findings"] = findings_to_json(*report.findings);
  return json;
}

FitReport report_from_json(JsonFields& document, int version, OutputFamily family) {
  if (!document.field("provenance").is_object())
    document.fail("provenance", "is not an object; fit the model again");
  JsonFields fields = document.object("provenance");
  FitReport report;
  // `name` is the field that holds a part of the report, `read` is the function that reads the
  // part, and `to` is the variable that gets the result.
  const auto part = [&](const char* name, auto read, auto& to) {
    if (!fields.has(name)) return;
    read_part(version, [&] {
      JsonFields own = fields.object(name);
      auto value = read(own, version);
      finish(own, version);
      to = std::move(value);
    });
  };
  read_part(version, [&] { report.software = text_or_empty(fields, "software"); });
  read_part(version, [&] {
    if (fields.has("options")) report.options = values_from_json(fields, "options");
  });
  part("data", data_from_json, report.data);
  part("selection", choice_from_json, report.choice);
  part("validation", held_out_from_json, report.held_out);
  std::optional<Heterogeneity> heterogeneity;
  part("heterogeneity", heterogeneity_from_json, heterogeneity);
  if (heterogeneity) {
    report.gain = heterogeneity->gain;
    report.context_gain = heterogeneity->of_contexts;
  }
  part("units", deviation_report_from_json, report.deviations);
  part(
      "diagnostics",
      [family](JsonFields& own, int of) { return diagnostics_from_json(own, of, family); },
      report.diagnostics);
  read_part(version, [&] {
    if (fields.has("posteriors"))
      report.chains = list_from_json(fields, "posteriors", version, chains_from_json);
  });
  part(
      "uncertainty", [](JsonFields& own, int) { return own.text("warning"); },
      report.uncertainty_warning);
  part("weight_checks", weight_checks_from_json, report.weight_checks);
  read_part(version, [&] {
    if (fields.has("findings")) report.findings = findings_from_json(fields, "findings");
  });
  finish(fields, version);
  return report;
}

}  // namespace otss::internal
