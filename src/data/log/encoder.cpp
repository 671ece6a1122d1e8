#include "otss/data/encoder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "data/log/column_encoder.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Returns the error for one value. `what` describes the value. `then` stands after the row number,
// and says what is wrong and what to do.
Error encode_error(const EncodeOptions& options, const ContextColumn& column, std::size_t row,
                   const std::string& what, const std::string& then = "") {
  const std::string table = options.table.empty() ? "" : fmt::format("'{}': ", options.table);
  return {ErrorCode::kInput,
          fmt::format("{}column '{}' {} in row {}{}", table, column.name, what, row + 1, then)};
}

void meet_missing(const EncodeOptions& options, const ContextColumn& column, std::size_t row) {
  const bool constant = column.num_encoded() == 0;
  if (column.has_missing || constant) return;
  if (options.unknown == UnknownPolicy::kCount) {
    if (options.counts != nullptr) ++options.counts->unexpected_missing;
    return;
  }
  throw encode_error(options, column, row, "is missing",
                     ", but every training row had a value; fill in the value, or allow "
                     "unknown values with --unknown warn");
}

// The column that is being encoded, with the options for encoding it.
struct Place {
  const EncodeOptions& options;
  const ContextColumn& column;
  std::size_t index;  // the position of the column among the contexts
  std::size_t num_contexts;
};

void meet_far(const Place& place, double value, std::size_t row) {
  const ContextColumn& column = place.column;
  if (place.options.outside == OutsidePolicy::kError) {
    const std::string range =
        column.range ? fmt::format(" ({:g} to {:g})", column.range->lo, column.range->hi) : "";
    throw encode_error(place.options, column, row, fmt::format("is {}", value),
                       fmt::format(", far outside the range of training{}; correct the value, or "
                                   "allow such values with --outside warn",
                                   range));
  }
  if (place.options.counts == nullptr) return;
  std::vector<std::size_t>& far_values = place.options.counts->far_values;
  far_values.resize(place.num_contexts);
  ++far_values[place.index];
}

// A value that is further than this many standard deviations from the mean is refused, so that
// encoded values and their products are finite.
constexpr double kMostDeviations = 1e15;

void check_number(const Place& place, double value, std::size_t row) {
  const ContextColumn& column = place.column;
  if (std::isnan(value)) return meet_missing(place.options, column, row);
  if (std::isinf(value))
    throw encode_error(place.options, column, row, "is infinite", "; give a finite number");
  if (column.type == ValueType::kBoolean && value != 0 && value != 1) {
    throw encode_error(place.options, column, row, fmt::format("is {}", value),
                       ", but training had true and false in this column; give true or false, or "
                       "1 or 0");
  }
  if (!column.is_far(value)) return;
  if (!(std::abs(value / column.scale - column.center / column.scale) <= kMostDeviations)) {
    throw encode_error(place.options, column, row, fmt::format("is {}", value),
                       fmt::format(", more than {:g} standard deviations from the mean of "
                                   "training; correct the value",
                                   kMostDeviations));
  }
  meet_far(place, value, row);
}

// Returns a range of numbers that check_number accepts. It may be empty.
ValueRange usual_numbers(const ContextColumn& column) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (column.type == ValueType::kBoolean) return {kInfinity, -kInfinity};
  return column.range.value_or(ValueRange{kInfinity, -kInfinity});
}

void encode_numbers(const Place& place, std::span<const double> values, RowCells out,
                    std::size_t first_row) {
  const ValueRange usual = usual_numbers(place.column);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!(values[row] >= usual.lo && values[row] <= usual.hi))
      check_number(place, values[row], first_row + row);
  }
  encode_numbers(place.column, values, out);
}

std::string_view type_words(ValueType type) {
  switch (type) {
    case ValueType::kBoolean: return "true or false";
    case ValueType::kTime: return "dates or times";
    case ValueType::kText: return "text";
    default: return "numbers";
  }
}

// Returns true if a column may have the type `given` in a new table. In training it had the type
// `trained` and was read as numbers. A text column is accepted here, because the reader later names
// the row whose text is not a number.
bool may_serve(ValueType trained, ValueType given) {
  if (trained == ValueType::kUnknown || given == ValueType::kUnknown) return true;
  if (given == ValueType::kText) return true;
  if (trained == ValueType::kTime) return given == ValueType::kTime;
  if (given == ValueType::kTime) return false;
  return trained == ValueType::kBoolean || given != ValueType::kBoolean;
}

std::uint32_t known_level(const ContextColumn& column, std::string_view text,
                          const EncodeOptions& options, std::size_t row) {
  const std::uint32_t level = find_level(column, text);
  if (level == kMissingLevel) meet_missing(options, column, row);
  const bool constant = column.levels.empty();
  if (level != kUnknownLevel || constant) return level;
  if (options.unknown == UnknownPolicy::kError) {
    throw encode_error(options, column, row, fmt::format("is '{}'", text),
                       ", a level that no training row had; use a known level, or allow unknown "
                       "values with --unknown warn");
  }
  if (options.counts != nullptr) ++options.counts->unknown_levels;
  return level;
}

void encode_texts(const ContextColumn& column, std::span<const std::string_view> texts,
                  RowCells out, const EncodeOptions& options, std::size_t first_row) {
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::uint32_t level = known_level(column, texts[row], options, first_row + row);
    encode_levels(column, std::span(&level, 1), {out.first + row * out.row_size, out.row_size});
  }
}

void encode_pairs_of_texts(const Encoder& encoder, const LevelPairs& pairs,
                           std::span<const std::string_view> first,
                           std::span<const std::string_view> second, RowCells out) {
  for (std::size_t row = 0; row < first.size(); ++row) {
    const std::uint32_t levels[] = {find_level(encoder.contexts[pairs.first], first[row]),
                                    find_level(encoder.contexts[pairs.second], second[row])};
    encode_pairs(pairs, std::span(levels, 1), std::span(levels + 1, 1),
                 {out.first + row * out.row_size, out.row_size});
  }
}

Error invalid(const std::string& name, const char* what) {
  return {ErrorCode::kInput,
          fmt::format("encoder column '{}' {}; fit the model again", name, what)};
}

bool is_frequency(double value) { return value >= 0 && value <= 1; }

void validate_column(const ContextColumn& column) {
  const bool is_text = column.kind == ColumnKind::kText;
  if (!std::isfinite(column.center)) throw invalid(column.name, "has a centre that is not finite");
  if (!(column.scale >= 0 && std::isfinite(column.scale)))
    throw invalid(column.name, "has a scale that is negative or not finite");
  if (column.range && !(std::isfinite(column.range->lo) && std::isfinite(column.range->hi) &&
                        column.range->lo <= column.range->hi))
    throw invalid(column.name, "has a range that is reversed or not finite");
  if (is_text && column.range) throw invalid(column.name, "is text but has a range");
  if (is_text && column.scale != 0) throw invalid(column.name, "is text but has a scale");
  if (!is_text && !column.levels.empty()) throw invalid(column.name, "is a number but has levels");
  if (column.levels.size() != column.level_frequencies.size()) {
    throw invalid(column.name, "has different numbers of levels and frequencies");
  }
  const auto out_of_order =
      std::adjacent_find(column.levels.begin(), column.levels.end(), std::greater_equal<>());
  if (out_of_order != column.levels.end())
    throw invalid(column.name, "has levels that are repeated or out of order");
  if (!std::all_of(column.level_frequencies.begin(), column.level_frequencies.end(),
                   is_frequency) ||
      !is_frequency(column.missing_frequency)) {
    throw invalid(column.name, "has a frequency outside 0 to 1");
  }
}

void validate_pairs(const Encoder& encoder, const LevelPairs& pairs) {
  const auto is_text = [&](std::size_t column) {
    return column < encoder.contexts.size() && encoder.contexts[column].kind == ColumnKind::kText;
  };
  if (pairs.first >= pairs.second || !is_text(pairs.first) || !is_text(pairs.second))
    throw invalid("level_pairs", "does not name two text columns in their order");
  const std::string name =
      encoder.contexts[pairs.first].name + " & " + encoder.contexts[pairs.second].name;
  if (pairs.pairs.size() != pairs.frequencies.size())
    throw invalid(name, "has different numbers of pairs and frequencies");
  if (std::ranges::adjacent_find(pairs.pairs, std::greater_equal<>()) != pairs.pairs.end())
    throw invalid(name, "has pairs that are repeated or out of order");
  for (const auto& [first, second] : pairs.pairs) {
    if (first >= encoder.contexts[pairs.first].levels.size() ||
        second >= encoder.contexts[pairs.second].levels.size())
      throw invalid(name, "has a pair of levels that the columns do not have");
  }
  if (!std::ranges::all_of(pairs.frequencies, is_frequency))
    throw invalid(name, "has a frequency outside 0 to 1");
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

int ContextColumn::num_encoded() const {
  const int values =
      kind == ColumnKind::kNumber ? (scale > 0 ? 1 : 0) : static_cast<int>(levels.size());
  return values + (has_missing ? 1 : 0);
}

std::size_t UnknownCounts::num_far_values() const {
  return std::accumulate(far_values.begin(), far_values.end(), std::size_t{0});
}

void UnknownCounts::add(const UnknownCounts& other) {
  unknown_levels += other.unknown_levels;
  unexpected_missing += other.unexpected_missing;
  if (far_values.size() < other.far_values.size()) far_values.resize(other.far_values.size(), 0);
  for (std::size_t i = 0; i < other.far_values.size(); ++i) far_values[i] += other.far_values[i];
}

bool ContextColumn::is_far(double value) const {
  if (kind != ColumnKind::kNumber || !(scale > 0)) return false;
  constexpr double kFarDeviations = 10;
  if (!range) return !(std::abs(value - center) <= kFarDeviations * scale);
  const double width = range->hi - range->lo;
  return !(value >= range->lo - width && value <= range->hi + width);
}

int Encoder::num_encoded() const {
  int total = 0;
  for (const ContextColumn& column : contexts) total += column.num_encoded();
  for (const LevelPairs& pairs : level_pairs) total += pairs.num_encoded();
  return total;
}

std::vector<std::string> Encoder::encoded_names() const {
  std::vector<std::string> names;
  for (const ContextColumn& column : contexts) {
    if (column.kind == ColumnKind::kNumber && column.scale > 0) names.push_back(column.name);
    for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
    if (column.has_missing) names.push_back(column.name + " is missing");
  }
  for (const LevelPairs& pairs : level_pairs) {
    const ContextColumn& first = contexts[pairs.first];
    const ContextColumn& second = contexts[pairs.second];
    for (const auto& [a, b] : pairs.pairs) {
      names.push_back(
          fmt::format("{}={} & {}={}", first.name, first.levels[a], second.name, second.levels[b]));
    }
  }
  return names;
}

std::vector<ColumnRequest> Encoder::context_requests() const {
  std::vector<ColumnRequest> requests;
  for (const ContextColumn& column : contexts)
    requests.push_back({column.name, column.kind == ColumnKind::kText, TextForm::kLevel, true});
  return requests;
}

void Encoder::require_columns(const TableReader& reader) const {
  for (const ContextColumn& column : contexts) {
    const ColumnInfo& given = reader.column(column.name, "a context of the model");
    if (column.kind == ColumnKind::kText || may_serve(column.type, given.type)) continue;
    throw Error(
        ErrorCode::kInput,
        fmt::format("'{}': column '{}' has {}, but in training it had {}; give the column as in "
                    "the training log",
                    reader.name(), column.name, type_words(given.type), type_words(column.type)));
  }
}

TableSource Encoder::as_trained(TableSource source) const {
  const ReadingRules given = std::move(source.rules);
  source.rules = reading;
  if (given.decimal) source.rules.decimal = given.decimal;
  for (const std::string& word : given.missing_texts) source.rules.add_missing(word);
  return source;
}

void Encoder::encode(std::span<const RawValue> values, std::span<double> encoded,
                     const EncodeOptions& options, std::size_t row) const {
  assert(values.size() == contexts.size());
  double* out = encoded.data();
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const RowCells cells{out, encoded.size()};
    if (contexts[i].kind == ColumnKind::kNumber) {
      encode_numbers({options, contexts[i], i, contexts.size()}, std::span(&values[i].number, 1),
                     cells, row);
    } else {
      encode_texts(contexts[i], std::span(&values[i].text, 1), cells, options, row);
    }
    out += contexts[i].num_encoded();
  }
  for (const LevelPairs& pairs : level_pairs) {
    encode_pairs_of_texts(*this, pairs, std::span(&values[pairs.first].text, 1),
                          std::span(&values[pairs.second].text, 1), {out, encoded.size()});
    out += pairs.num_encoded();
  }
}

void Encoder::encode(const TableChunk& chunk, std::span<double> encoded,
                     const EncodeOptions& options) const {
  const auto row_size = static_cast<std::size_t>(num_encoded());
  assert(encoded.size() >= chunk.num_rows * row_size);
  double* out = encoded.data();
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const ColumnChunk& raw = chunk.columns[i];
    assert(raw.kind == contexts[i].kind);
    if (contexts[i].kind == ColumnKind::kNumber) {
      encode_numbers({options, contexts[i], i, contexts.size()}, raw.numbers, {out, row_size},
                     chunk.first_row);
    } else {
      encode_texts(contexts[i], raw.texts, {out, row_size}, options, chunk.first_row);
    }
    out += contexts[i].num_encoded();
  }
  for (const LevelPairs& pairs : level_pairs) {
    encode_pairs_of_texts(*this, pairs, chunk.columns[pairs.first].texts,
                          chunk.columns[pairs.second].texts, {out, row_size});
    out += pairs.num_encoded();
  }
}

bool Encoder::has_terms() const {
  return std::ranges::any_of(factors, [](const FactorColumn& one) { return one.term.has_value(); });
}

std::vector<std::string> Encoder::own_factors() const {
  std::vector<std::string> names;
  for (const FactorColumn& factor : factors) {
    if (!factor.term) names.push_back(factor.name);
  }
  for (const FactorColumn& factor : factors) {
    if (!factor.term) continue;
    for (const std::string& column : factor.term->columns) {
      if (std::ranges::find(names, column) == names.end()) names.push_back(column);
    }
  }
  return names;
}

void Encoder::validate() const {
  reading.validate();
  std::unordered_set<std::string> names;
  for (const ContextColumn& column : contexts) {
    validate_column(column);
    if (!names.insert(column.name).second) throw invalid(column.name, "is given twice");
  }
  for (const LevelPairs& pairs : level_pairs) validate_pairs(*this, pairs);
  for (const FactorColumn& factor : factors) {
    if (!std::isfinite(factor.center))
      throw invalid(factor.name, "has a centre that is not finite");
    if (!(factor.scale > 0 && std::isfinite(factor.scale)))
      throw invalid(factor.name, "has a scale that is not a positive number");
    if (!names.insert(factor.name).second) throw invalid(factor.name, "is given twice");
    if (factor.term && parse_term(factor.name) != factor.term)
      throw invalid(factor.name, "has another term than its name says");
  }
}

}  // namespace otss
