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

Json dates_to_json(const ReadingRules& rules) {
  Json dates = Json::array();
  for (const DateColumn& date : rules.dates) {
    Json parts = Json::array();
    for (const DatePart part : date.parts) parts.push_back(word(part));
    dates.push_back({{"column", date.column}, {"parts", parts}});
  }
  return dates;
}

Json text_factors_to_json(const ReadingRules& rules) {
  Json factors = Json::array();
  for (const TextFactor& factor : rules.text_factors) {
    factors.push_back(
        {{"column", factor.column}, {"reference", factor.reference}, {"levels", factor.levels}});
  }
  return factors;
}

Json positive_to_json(const ReadingRules& rules) {
  if (!rules.positive) return nullptr;
  return {{"column", rules.positive->column},
          {"value", rules.positive->value},
          {"others", rules.positive->others}};
}

Json reading_to_json(const ReadingRules& rules) {
  return {{"missing", rules.missing},
          {"missing_texts", rules.missing_texts},
          {"decimal", std::string(1, rules.decimal.value_or('.'))},
          {"date_order", rules.date_order ? Json(word(*rules.date_order)) : Json()},
          {"trims_texts", rules.trims_texts},
          {"ignores_case", rules.ignores_case},
          {"dates", dates_to_json(rules)},
          {"text_factors", text_factors_to_json(rules)},
          {"positive", positive_to_json(rules)}};
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

// Returns the rules by which older versions of otss read tables. Those versions did not remove
// blanks around texts.
ReadingRules early_rules() { return {.decimal = '.', .trims_texts = false, .is_settled = true}; }

std::optional<DateOrder> date_order_from_json(JsonFields& fields) {
  if (fields.field("date_order").is_null()) return std::nullopt;
  const auto order = parse_word<DateOrder>(fields.text("date_order"));
  if (!order) fields.fail("date_order", "is neither dmy nor mdy; fit the model again");
  return order;
}

std::vector<DateColumn> dates_from_json(JsonFields& fields) {
  std::vector<DateColumn> dates;
  for (const Json& json : fields.array("dates")) {
    JsonFields entry(json, fmt::format("{}.dates[{}]", fields.where(), dates.size()));
    DateColumn date{.column = entry.text("column"), .parts = {}};
    for (const std::string& name : entry.texts("parts")) {
      const auto part = parse_word<DatePart>(name);
      if (!part)
        entry.fail("parts",
                   "has a value that this version of otss does not know; install a newer version, "
                   "or fit the model again");
      date.parts.push_back(*part);
    }
    entry.finish();
    dates.push_back(std::move(date));
  }
  return dates;
}

std::vector<TextFactor> text_factors_from_json(JsonFields& fields) {
  std::vector<TextFactor> factors;
  for (const Json& json : fields.array("text_factors")) {
    JsonFields entry(json, fmt::format("{}.text_factors[{}]", fields.where(), factors.size()));
    factors.push_back({entry.text("column"), entry.text("reference"), entry.texts("levels")});
    entry.finish();
  }
  return factors;
}

std::optional<PositiveOutcome> positive_from_json(JsonFields& fields) {
  if (fields.field("positive").is_null()) return std::nullopt;
  JsonFields entry = fields.object("positive");
  PositiveOutcome positive{entry.text("column"), entry.text("value"), entry.texts("others")};
  entry.finish();
  return positive;
}

ReadingRules reading_from_json(JsonFields fields) {
  const std::string decimal = fields.text("decimal");
  if (decimal.size() != 1) fields.fail("decimal", "is not one character; fit the model again");
  ReadingRules rules = early_rules();
  rules.missing = fields.texts("missing");
  rules.decimal = decimal.front();
  if (fields.has("trims_texts")) {  // the first models of version 2 lack the fields below
    rules.missing_texts = fields.texts("missing_texts");
    rules.date_order = date_order_from_json(fields);
    rules.trims_texts = fields.flag("trims_texts");
    rules.ignores_case = fields.flag("ignores_case");
    rules.dates = dates_from_json(fields);
    rules.text_factors = text_factors_from_json(fields);
    rules.positive = positive_from_json(fields);
  }
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
    fields.fail("kind", "is neither number nor text; fit the model again");
  }
  fields.finish();
  return column;
}

Json pairs_to_json(const LevelPairs& pairs) {
  return {{"columns", {pairs.first, pairs.second}},
          {"pairs", pairs.pairs},
          {"frequencies", pairs.frequencies}};
}

LevelPairs pairs_from_json(JsonFields fields) {
  const auto pair_of = [&](const Json& json, const char* name) {
    const auto is_position = [](const Json& number) {
      return number.is_number_unsigned() && number.get<std::uint64_t>() <= 0xFFFF'FFFF;
    };
    const bool valid =
        json.is_array() && json.size() == 2 && is_position(json[0]) && is_position(json[1]);
    if (!valid)
      fields.fail(name, "has an entry that is not a pair of whole numbers; fit the model again");
    return std::pair(json[0].get<std::uint32_t>(), json[1].get<std::uint32_t>());
  };
  const auto columns = pair_of(fields.field("columns"), "columns");
  LevelPairs pairs{columns.first, columns.second, {}, fields.numbers("frequencies")};
  for (const Json& json : fields.array("pairs")) pairs.pairs.push_back(pair_of(json, "pairs"));
  fields.finish();
  return pairs;
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
  Json level_pairs = Json::array();
  for (const LevelPairs& pairs : encoder.level_pairs) level_pairs.push_back(pairs_to_json(pairs));
  Json schema = {{"contexts", contexts},
                 {"level_pairs", level_pairs},
                 {"factors", factors},
                 {"reading", reading_to_json(encoder.reading)},
                 {"outcome", roles.outcome},
                 {"weight", roles.weight},
                 {"group", roles.group},
                 {"time", roles.time},
                 {"centered_by", roles.centered_by}};
  if (!roles.unit.empty()) schema["unit"] = roles.unit;
  if (encoder.has_terms()) schema["term_shrinkage"] = roles.term_shrinkage;
  return schema;
}

// Reads the schema. Files of version 1 have no types and ranges of contexts, and no rules for
// reading tables. Models of version 1 get early_rules(), because their logs were read by these
// rules.
void schema_from_json(JsonFields fields, int version, Encoder& encoder, Roles& roles) {
  for (const Json& json : fields.array("contexts")) {
    const std::string where =
        fmt::format("{}.contexts[{}]", fields.where(), encoder.contexts.size());
    encoder.contexts.push_back(context_from_json(json, version, where));
    roles.contexts.push_back(encoder.contexts.back().name);
  }
  // Models that were made before pairs of levels existed do not have this field.
  if (fields.has("level_pairs")) {
    for (const Json& json : fields.array("level_pairs"))
      encoder.level_pairs.push_back(
          pairs_from_json({json, fmt::format("{}.level_pairs", fields.where())}));
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
  encoder.reading = version >= 2 ? reading_from_json(fields.object("reading")) : early_rules();
  roles.outcome = fields.text("outcome");
  roles.weight = fields.text("weight");
  roles.group = fields.text("group");
  roles.time = fields.text("time");
  roles.centered_by = fields.text("centered_by");
  if (fields.has("unit")) roles.unit = fields.text("unit");
  if (fields.has("term_shrinkage")) roles.term_shrinkage = fields.number("term_shrinkage");
  fields.finish();
  encoder.validate();
}

}  // namespace otss::internal
