#include "report/json/trust_json.hpp"

#include "report/json/shown_numbers.hpp"

namespace otss::internal {
namespace {

Json share_to_json(const DecisionShareFacts& one) {
  return {{"id", one.id}, {"chosen", shown(one.chosen)}, {"logged", shown(one.logged)}};
}

Json quality_to_json(const QualityFacts& quality) {
  return {{"rows", or_null(quality.rows)},
          {"log_loss", shown(quality.log_loss)},
          {"squared_error", shown(quality.squared_error)},
          {"auc", shown(quality.auc)},
          {"explained", shown(quality.explained)},
          {"calibration_slope", shown(quality.calibration_slope)}};
}

Json calibration_to_json(const CalibrationFacts& calibration) {
  Json bins = Json::array();
  for (const CalibrationBin& bin : calibration.bins)
    bins.push_back({{"predicted", shown(bin.predicted)},
                    {"observed", shown(bin.observed)},
                    {"rows", bin.rows}});
  return {{"rows", calibration.rows}, {"held_out", calibration.held_out}, {"bins", bins}};
}

Json tried_to_json(const std::vector<TriedFacts>& tried) {
  Json list = Json::array();
  for (const TriedFacts& one : tried)
    list.push_back({{"words", one.words},
                    {"log_loss", shown(one.log_loss)},
                    {"weight", shown(one.weight)},
                    {"chosen", one.chosen}});
  return list;
}

Json comparison_to_json(const ComparisonFacts& comparison) {
  constexpr double kCompareLevel = 0.95;
  Json methods = Json::array();
  for (const ComparedFacts& one : comparison.methods)
    methods.push_back({{"method", one.method},
                       {"log_loss", shown(one.log_loss)},
                       {"difference", shown(one.difference)},
                       {"seconds", shown(one.seconds)}});
  return {{"rows", or_null(comparison.rows)},
          {"repeats", comparison.repeats},
          {"verdict", comparison.verdict},
          {"reference", comparison.reference},
          {"methods", methods},
          {"level", kCompareLevel}};
}

Json gate_use_to_json(const GateUseFacts& gate) {
  return {{"source", word(gate.source)},
          {"top_share", gate.top_share.empty() ? Json() : shown(gate.top_share)},
          {"entropy", shown(gate.use.entropy)},
          {"effective_experts", shown(gate.use.effective_experts)},
          {"effective_experts_overall", shown(gate.use.effective_experts_overall)},
          {"usage", shown(gate.use.usage)}};
}

Json chains_to_json(const std::vector<ChainsReport>& chains) {
  Json list = Json::array();
  for (const ChainsReport& one : chains)
    list.push_back({{"experts", one.experts},
                    {"gate_columns", word(one.gate_columns)},
                    {"chains", one.chains},
                    {"draws", one.draws},
                    {"acceptance", shown(one.acceptance)},
                    {"r_hat", shown(one.weights.r_hat)},
                    {"effective_sample", shown(one.weights.effective_sample)},
                    {"warning", one.warning}});
  return list;
}

Json findings_to_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& one : findings)
    list.push_back({{"severity", word(one.severity)},
                    {"kind", one.kind},
                    {"what", one.what},
                    {"columns", one.columns}});
  return list;
}

Json unseen_to_json(const UnknownCounts& unseen) {
  Json far = Json::array();
  for (std::size_t c = 0; c < unseen.far_values.size(); ++c) {
    if (unseen.far_values[c] > 0) far.push_back({{"column", c}, {"count", unseen.far_values[c]}});
  }
  return {{"unknown_levels", unseen.unknown_levels},
          {"unexpected_missing", unseen.unexpected_missing},
          {"far_values", far}};
}

Json units_facts_to_json(const UnitsFacts& units, const Fitted& fitted) {
  const DeviationReport& report = *fitted.report().deviations;
  const GainVerdict verdict = judge_gain(report.gain);
  Json variation;
  if (report.variation)
    variation = {{"decision", shown(report.variation->decision)},
                 {"context", shown(report.variation->context)},
                 {"unit", shown(report.variation->unit)},
                 {"rest", shown(report.variation->rest)}};
  return {{"column", fitted.roles().unit},
          {"units", report.units},
          {"supported", report.supported},
          {"form", word(report.chosen)},
          {"gain", shown(Estimate{report.gain.mean, verdict.lo, verdict.hi})},
          {"variation", variation},
          {"weight_sd", units.weight_sd.empty() ? Json() : shown(units.weight_sd)},
          {"known_rows", or_null(units.known_rows)}};
}

// Adds what the FitReport says about how the setting was chosen.
void add_choice(const FitReport& report, Json& json) {
  json["chosen"] = report.choice ? report.choice->why : "";
  json["split"] = report.choice ? report.choice->split : "";
  json["chosen_on_rows"] = report.choice ? or_null(report.choice->sample_rows) : Json();
  const auto* averaged =
      report.choice ? std::get_if<AveragedSettings>(&report.choice->settings) : nullptr;
  json["seed_changes"] =
      averaged != nullptr && averaged->seed_changes ? shown(*averaged->seed_changes) : Json();
  json["starts"] = nullptr;
  if (report.diagnostics && report.diagnostics->starts)
    json["starts"] = {{"tried", report.diagnostics->starts->tried},
                      {"agreeing", report.diagnostics->starts->agreeing}};
}

}  // namespace

Json decisions_to_json(const DecisionsFacts& decisions) {
  Json list = Json::array();
  for (const DecisionShareFacts& one : decisions.list) list.push_back(share_to_json(one));
  Json curve = Json::array();
  for (const CertifiedShare& one : decisions.curve)
    curve.push_back({{"level", one.level}, {"share", shown(one.share)}});
  Json margin;
  if (!decisions.margin_quantiles.empty())
    margin = {{"quantiles", shown(decisions.margin_quantiles)}};
  return {
      {"rows", decisions.rows},
      {"rows_certified", decisions.rows_certified},
      {"level", decisions.level},
      {"per_context", decisions.per_context},
      {"logged_known", decisions.logged_known},
      {"list", list},
      {"others", decisions.others ? share_to_json(*decisions.others) : Json()},
      {"distinct", decisions.distinct},
      {"chosen_distinct", decisions.chosen_distinct},
      {"never_chosen", {{"count", decisions.never_chosen}, {"ids", decisions.never_chosen_ids}}},
      {"agreement", shown(decisions.agreement)},
      {"curve", curve},
      {"expected_regret", shown(decisions.expected_regret)},
      {"regret_bound", shown(decisions.regret_bound)},
      {"margin", margin}};
}

Json trust_to_json(const Facts& facts) {
  const TrustFacts& trust = facts.trust;
  const FitReport& report = facts.fitted.report();
  Json json = {
      {"held_out", trust.held_out ? quality_to_json(*trust.held_out) : Json()},
      {"on_log", trust.on_log ? quality_to_json(*trust.on_log) : Json()},
      {"in_sample", trust.in_sample},
      {"calibration", trust.calibration ? calibration_to_json(*trust.calibration) : Json()},
      {"tried", tried_to_json(trust.tried)},
      {"comparison", trust.comparison ? comparison_to_json(*trust.comparison) : Json()},
      {"gate", trust.gate ? gate_use_to_json(*trust.gate) : Json()},
      {"chains", chains_to_json(report.chains)},
      {"findings", trust.findings ? findings_to_json(*trust.findings) : Json()},
      {"unseen", trust.unseen ? unseen_to_json(*trust.unseen) : Json()},
      {"warnings", trust.warnings},
      {"units", trust.units && report.deviations ? units_facts_to_json(*trust.units, facts.fitted)
                                                 : Json()}};
  add_choice(report, json);
  return json;
}

}  // namespace otss::internal
