#include "report/json/facts_json.hpp"

#include <fmt/core.h>

#include "base/version.hpp"
#include "model/file/schema_json.hpp"
#include "report/json/segments_json.hpp"
#include "report/json/shown_numbers.hpp"
#include "report/json/trust_json.hpp"
#include "report/json/what_if_json.hpp"

namespace otss::internal {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json feasible_to_json(const FeasibleFacts& feasible) {
  return {{"kind", feasible.is_library ? "library" : "candidates"},
          {"name", utf8_name(feasible.name)},
          {"decisions", feasible.decisions},
          {"contexts", feasible.contexts}};
}

// Returns true if the chosen setting has the same shares in every context.
bool has_same_shares(const FitReport& report) {
  const auto* averaged =
      report.choice ? std::get_if<AveragedSettings>(&report.choice->settings) : nullptr;
  if (averaged == nullptr) return false;
  for (const TriedMixture& one : averaged->tried) {
    if (one.same_shares && one.weight > 0) return true;
  }
  return false;
}

Json about_to_json(const Facts& facts) {
  const Fitted& fitted = facts.fitted;
  const AboutFacts& about = facts.about;
  const Mixture* mixture = fitted.mixture();
  const auto& positive = fitted.encoder().reading.positive;
  return {{"model", utf8_name(about.model)},
          {"log", about.log ? Json(utf8_name(*about.log)) : Json()},
          {"log_rows", or_null(about.log_rows)},
          {"sample_rows", or_null(about.sample_rows)},
          {"feasible", about.feasible ? feasible_to_json(*about.feasible) : Json()},
          {"level", kReportLevel},
          {"method", word(fitted.method())},
          {"estimator", word(fitted.estimator())},
          {"family", word(fitted.family())},
          {"gate", mixture != nullptr ? Json(word(mixture->gate_kind())) : Json()},
          {"experts", fitted.num_experts()},
          {"mixes_probabilities", fitted.mixes_probabilities()},
          {"same_shares", has_same_shares(fitted.report())},
          {"outcome", fitted.roles().outcome},
          {"positive", positive ? Json(positive->value) : Json()},
          {"unit", fitted.deviations() != nullptr ? text_or_null(fitted.roles().unit) : Json()},
          {"has_intervals", fitted.has_uncertainty()},
          {"no_intervals_because", about.no_intervals_because},
          {"software", fmt::format("otss {}", kVersion)}};
}

Json factors_to_json(const Facts& facts) {
  Json list = Json::array();
  for (std::size_t j = 0; j < facts.factors.size(); ++j) {
    const FactorFacts& one = facts.factors[j];
    const FactorColumn& factor = facts.fitted.encoder().factors[j];
    Json term;
    if (factor.term) term = {{"kind", word(factor.term->kind)}, {"of", factor.term->columns}};
    list.push_back({{"name", factor.name},
                    {"sd", one.sd},
                    {"sd_over", word(one.sd_over)},
                    {"center", factor.center},
                    {"log_sd", one.log_sd},
                    {"term", term},
                    {"importance", shown(one.importance)}});
  }
  return list;
}

// The encoder's numbers are written as in the model file, so that the page can encode exactly.
Json columns_to_json(const Facts& facts) {
  Json list = schema_to_json(facts.fitted.encoder(), facts.fitted.roles())["contexts"];
  const Json defaults = {{"center", 0},
                         {"scale", 0},
                         {"levels", Json::array()},
                         {"frequencies", Json::array()},
                         {"missing_frequency", 0}};
  for (std::size_t c = 0; c < list.size(); ++c) {
    Json& column = list[c];
    const ColumnFacts& one = facts.columns[c];
    for (const auto& [name, value] : defaults.items()) {
      if (!column.contains(name)) column[name] = value;
    }
    column["source"] = word(one.source);
    column["range"] = one.range ? Json{one.range->lo, one.range->hi} : Json();
    column["quantiles"] = one.quantiles.empty() ? Json() : Json(one.quantiles);
  }
  return list;
}

Json options_to_json(const std::vector<NamedText>& options) {
  Json list = Json::array();
  for (const NamedText& one : options) list.push_back({{"name", one.name}, {"value", one.text}});
  return list;
}

Json origin_to_json(const Facts& facts) {
  const FitReport& report = facts.fitted.report();
  const OriginFacts& origin = facts.origin;
  const auto seed = report.options.find("seed");
  const auto* seed_number =
      seed != report.options.end() ? std::get_if<std::int64_t>(&seed->second) : nullptr;
  Json roles = Json::array();
  for (const RoleFacts& one : origin.roles)
    roles.push_back({{"role", one.role}, {"columns", one.columns}});
  Json commands = Json::array();
  for (const NamedText& one : origin.commands)
    commands.push_back({{"purpose", one.name}, {"command", utf8_name(one.text)}});
  return {{"rows", report.data ? Json(report.data->rows) : Json()},
          {"fingerprint", report.data ? report.data->fingerprint : ""},
          {"software", report.software},
          {"checksum", origin.checksum},
          {"seed", seed_number != nullptr ? Json(*seed_number) : Json()},
          {"options", options_to_json(origin.options)},
          {"roles", roles},
          {"encoded", facts.fitted.num_contexts()},
          {"commands", commands}};
}

}  // namespace

Json facts_to_json(const Facts& facts) {
  constexpr int kFactsVersion = 1;
  return {{"format", "otss-facts"},
          {"version", kFactsVersion},
          {"about", about_to_json(facts)},
          {"factors", factors_to_json(facts)},
          {"columns", columns_to_json(facts)},
          {"answer", answer_to_json(facts)},
          {"segments", segments_to_json(facts)},
          {"membership",
           facts.membership ? membership_to_json(*facts.membership, facts.fitted) : Json()},
          {"movements", facts.movements ? movements_to_json(*facts.movements) : Json()},
          {"what_if", what_if_to_json(facts)},
          {"decisions", facts.decisions ? decisions_to_json(*facts.decisions) : Json()},
          {"trust", trust_to_json(facts)},
          {"origin", origin_to_json(facts)}};
}

}  // namespace otss::internal
