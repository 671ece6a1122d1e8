#include "model/file/schema_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace otss::internal {
namespace {

constexpr std::pair<ValueType, std::string_view> kTypeNames[] = {
    {ValueType::kUnknown, "unknown"},
    {ValueType::kNumber, "number"},
    {ValueType::kWholeNumber, "whole number"},
    {ValueType::kBoolean, "boolean"},
    {ValueType::kTime, "time"},
    {ValueType::kText, "text"}};

std::string_view type_name(ValueType type) {
  return std::ranges::find(kTypeNames, type, [](const auto& pair) { return pair.first; })->second;
}

Json range_to_json(const ContextColumn& column) {
  return column.range ? Json{column.range->lo, column.range->hi} : Json();
}

Json reading_to_json(const ReadingRules& rules) {
  return {{"missing", rules.missing}, {"decimal", std::string(1, rules.decimal)}};
}

ValueType type_from_json(JsonFields& fields) {
  const std::string name = fields.text("type");
  const auto known =
      std::ranges::find(kTypeNames, name, [](const auto& pair) { return pair.second; });
  if (known == std::end(kTypeNames))
    fields.fail("type",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  return known->first;
}

// Reads the range of a column. The JSON value is null if the column had no values in training, or
// if the range is not known.
std::optional<ValueRange> range_from_json(JsonFields& fields) {
  if (fields.field("range").is_null()) return std::nullopt;
  const std::vector<double> range = fields.numbers("range");
  if (range.size() != 2)
    fields.fail(
        "range",
        "does not have two numbers, the smallest and the largest value; fit the model again");
  return ValueRange{range[0], range[1]};
}

ReadingRules reading_from_json(JsonFields fields) {
  const std::string decimal = fields.text("decimal");
  if (decimal.size() != 1) fields.fail("decimal", "is not one character");
  ReadingRules rules{fields.texts("missing"), decimal.front()};
  fields.finish();
  return rules;
}

Term term_from_json(JsonFields fields) {
  const auto kind = parse_word<TermKind>(fields.text("kind"));
  if (!kind)
    fields.fail("kind",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  Term term{*kind, fields.texts("of")};
  fields.finish();
  return term;
}

ContextColumn context_from_json(const Json& json, int version, const std::string& where) {
  JsonFields fields(json, where);
  ContextColumn column;
  column.name = fields.text("name");
  column.has_missing = fields.flag("missing");
  if (column.has_missing) column.missing_frequency = fields.number("missing_frequency");
  if (version >= 2) column.type = type_from_json(fields);
  const std::string kind = fields.text("kind");
  if (kind == "number") {
    column.kind = ColumnKind::kNumber;
    column.center = fields.number("center");
    column.scale = fields.number("scale");
    if (version >= 2) column.range = range_from_json(fields);
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

}  // namespace

Json schema_to_json(const Encoder& encoder, const Roles& roles) {
  Json contexts = Json::array();
  for (const ContextColumn& column : encoder.contexts) {
    Json entry = {
        {"name", column.name}, {"type", type_name(column.type)}, {"missing", column.has_missing}};
    if (column.has_missing) entry["missing_frequency"] = column.missing_frequency;
    if (column.kind == ColumnKind::kNumber) {
      entry["kind"] = "number";
      entry["center"] = column.center;
      entry["scale"] = column.scale;
      entry["range"] = range_to_json(column);
    } else {
      entry["kind"] = "text";
      entry["levels"] = column.levels;
      entry["frequencies"] = column.level_frequencies;
    }
    contexts.push_back(std::move(entry));
  }
  Json factors = Json::array();
  for (const FactorColumn& factor : encoder.factors) {
    Json entry = {{"name", factor.name}, {"center", factor.center}, {"scale", factor.scale}};
    if (factor.term)
      entry["term"] = {{"kind", word(factor.term->kind)}, {"of", factor.term->columns}};
    factors.push_back(std::move(entry));
  }
  return {{"contexts", contexts},
          {"factors", factors},
          {"reading", reading_to_json(encoder.reading)},
          {"outcome", roles.outcome},
          {"weight", roles.weight},
          {"group", roles.group},
          {"time", roles.time},
          {"centered_by", roles.centered_by}};
}

// Reads the schema. Files of version 1 have no types and ranges of contexts, and no rules for
// reading tables. At that time, all logs were read with the rules that are the default today.
void schema_from_json(JsonFields fields, int version, Encoder& encoder, Roles& roles) {
  for (const Json& json : fields.array("contexts")) {
    const std::string where =
        fmt::format("{}.contexts[{}]", fields.where(), encoder.contexts.size());
    encoder.contexts.push_back(context_from_json(json, version, where));
    roles.contexts.push_back(encoder.contexts.back().name);
  }
  for (const Json& json : fields.array("factors")) {
    JsonFields factor(json, fmt::format("{}.factors[{}]", fields.where(), encoder.factors.size()));
    encoder.factors.push_back(
        {factor.text("name"), factor.number("center"), factor.number("scale")});
    if (version >= 2 && factor.has("term"))
      encoder.factors.back().term = term_from_json(factor.object("term"));
    factor.finish();
    roles.factors.push_back(encoder.factors.back().name);
  }
  if (version >= 2) encoder.reading = reading_from_json(fields.object("reading"));
  roles.outcome = fields.text("outcome");
  roles.weight = fields.text("weight");
  roles.group = fields.text("group");
  roles.time = fields.text("time");
  roles.centered_by = fields.text("centered_by");
  fields.finish();
  encoder.validate();
}

}  // namespace otss::internal
