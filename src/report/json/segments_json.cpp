#include "report/json/segments_json.hpp"

#include "report/json/shown_numbers.hpp"

namespace otss::internal {
namespace {

Json gain_to_json(const MeanAndError& gain) {
  const GainVerdict verdict = judge_gain(gain);
  return shown(Estimate{gain.mean, verdict.lo, verdict.hi});
}

Json heterogeneity_to_json(const FitReport& report) {
  constexpr double kGainLevel = 0.95;
  return {{"supported", judge_contexts(report).supported},
          {"gain", gain_to_json(*report.gain)},
          {"of_contexts", report.context_gain ? gain_to_json(*report.context_gain) : Json()},
          {"level", kGainLevel},
          {"log_loss", report.held_out ? shown(report.held_out->model) : Json()},
          {"pooled_log_loss", report.held_out ? shown(report.held_out->pooled) : Json()}};
}

Json value_to_json(const ValueEstimate& value) {
  return shown(Estimate{value.value, value.lo, value.hi});
}

Json policy_to_json(const EvaluatedPolicy& policy) {
  const PolicyValue& value = policy.value;
  return {{"value", value_to_json(value.doubly_robust)},
          {"logging", value_to_json(value.logging)},
          {"gain", value_to_json(value.gain)},
          {"ips", value_to_json(value.ips)},
          {"snips", value_to_json(value.snips)},
          {"direct", value_to_json(value.direct)},
          {"level", value.level},
          {"rows", value.num_rows},
          {"effective_sample_size", shown(value.effective_sample_size)},
          {"agreement", shown(value.agreement)},
          {"in_sample", policy.in_sample},
          {"warnings", policy.warnings}};
}

// Adds the fields that name a column, a level or a missing value.
Json with_value(const ColumnValue& value, Json json) {
  json["column"] = value.column;
  json["level"] = or_null(value.level);
  json["missing"] = value.missing;
  return json;
}

// Returns by how much a number column changes, or null for a level and for a missing value.
Json step_of(const ColumnValue& value, const Encoder& encoder) {
  if (value.level || value.missing) return nullptr;
  const ContextColumn& column = encoder.contexts[value.column];
  return column.type == ValueType::kBoolean ? shown(1) : shown(column.scale);
}

Json segment_membership_to_json(const SegmentMembershipFacts& segment, const Encoder& encoder) {
  Json effects = Json::array();
  for (const EffectFacts& one : segment.effects)
    effects.push_back(with_value(
        one.value, {{"per", step_of(one.value, encoder)}, {"change", shown(one.change)}}));
  Json contrasts = Json::array();
  for (const ContrastFacts& one : segment.contrasts)
    contrasts.push_back(with_value(one.value, {{"members", shown(one.members)},
                                               {"everybody", shown(one.everybody)},
                                               {"difference", shown(one.difference)}}));
  return {{"expert", segment.expert + 1}, {"effects", effects}, {"contrasts", contrasts}};
}

template <class List>
Json list_or_null(const List& list) {
  return list.empty() ? Json() : Json(list);
}

Json distribution_to_json(const DistributionFacts& one) {
  return {{"column", one.column},
          {"edges", one.edges.empty() ? Json() : shown(one.edges)},
          {"levels", one.edges.empty() ? Json(one.levels) : Json()},
          {"other", one.other},
          {"everybody", shown(one.everybody)},
          {"everybody_missing", shown(one.everybody_missing)},
          {"members", shown(one.members)},
          {"members_missing", shown(one.members_missing)}};
}

Json movement_to_json(const MovementFacts& one) {
  return {{"column", one.column},
          {"at", one.at.empty() ? Json() : shown(one.at)},
          {"levels", list_or_null(one.levels)},
          {"weights", shown(one.weights)},
          {"lo", one.lo.empty() ? Json() : shown(one.lo)},
          {"hi", one.hi.empty() ? Json() : shown(one.hi)},
          {"shares", shown(one.shares)},
          {"strength", shown(one.strength)}};
}

}  // namespace

Json answer_to_json(const Facts& facts) {
  const AnswerFacts& answer = facts.answer;
  const FitReport& report = facts.fitted.report();
  Json certified;
  if (answer.certified)
    certified = {{"level", answer.certified->level}, {"share", shown(answer.certified->share)}};
  return {{"heterogeneity", report.gain ? heterogeneity_to_json(report) : Json()},
          {"experts_in_use", answer.experts_in_use},
          {"effective_experts", shown(answer.effective_experts)},
          {"policy", answer.policy ? policy_to_json(*answer.policy) : Json()},
          {"certified", certified}};
}

Json segments_to_json(const Facts& facts) {
  const SegmentsFacts& segments = facts.segments;
  Json list = Json::array();
  for (const SegmentFacts& one : segments.list) {
    list.push_back({{"expert", one.expert + 1},
                    {"share", shown(one.share)},
                    {"members", shown(one.members)},
                    {"weights", shown(one.weights)},
                    {"expert_weights", shown(facts.fitted.mixture()->expert(one.expert))}});
  }
  return {{"source", word(segments.source)},
          {"average", shown(segments.average)},
          {"list", list},
          {"left_out", segments.left_out}};
}

Json membership_to_json(const MembershipFacts& membership, const Fitted& fitted) {
  Json segments = Json::array();
  for (const SegmentMembershipFacts& one : membership.segments)
    segments.push_back(segment_membership_to_json(one, fitted.encoder()));
  Json distributions = Json::array();
  for (const DistributionFacts& one : membership.distributions)
    distributions.push_back(distribution_to_json(one));
  return {{"source", word(membership.source)},
          {"sample_rows", membership.sample_rows},
          {"band_rows", membership.band_rows},
          {"segments", segments},
          {"distributions", distributions}};
}

Json movements_to_json(const MovementsFacts& movements) {
  Json columns = Json::array();
  for (const MovementFacts& one : movements.columns) columns.push_back(movement_to_json(one));
  Json strongest = Json::array();
  for (const StrongPair& one : movements.strongest)
    strongest.push_back(
        {{"factor", one.factor}, {"column", one.column}, {"strength", shown(one.strength)}});
  return {{"source", word(movements.source)}, {"sample_rows", movements.sample_rows},
          {"band_rows", movements.band_rows}, {"columns", columns},
          {"strongest", strongest},           {"left_out", movements.left_out}};
}

}  // namespace otss::internal
