#include "otss/data/encoder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_set>

#include "data/log/column_encoder.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

Error encode_error(const EncodeOptions& options, const ContextColumn& column, std::size_t row,
                   const std::string& what) {
  const std::string table = options.table.empty() ? "" : fmt::format("'{}': ", options.table);
  return {ErrorCode::kInput,
          fmt::format("{}column '{}' {} in row {}", table, column.name, what, row + 1)};
}

void meet_missing(const EncodeOptions& options, const ContextColumn& column, std::size_t row) {
  const bool constant = column.num_encoded() == 0;
  if (column.has_missing || constant) return;
  if (options.unknown == UnknownPolicy::kCount) {
    if (options.counts != nullptr) ++options.counts->unexpected_missing;
    return;
  }
  throw encode_error(options, column, row,
                     "is missing (every training row had a value: fill it in, or allow unknown "
                     "values with --unknown warn)");
}

void encode_numbers(const ContextColumn& column, std::span<const double> values, RowCells out,
                    const EncodeOptions& options, std::size_t first_row) {
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) meet_missing(options, column, first_row + row);
    if (std::isinf(values[row]))
      throw encode_error(options, column, first_row + row, "is infinite");
  }
  encode_numbers(column, values, out);
}

std::uint32_t known_level(const ContextColumn& column, std::string_view text,
                          const EncodeOptions& options, std::size_t row) {
  const std::uint32_t level = find_level(column, text);
  if (level == kMissingLevel) meet_missing(options, column, row);
  const bool constant = column.levels.empty();
  if (level != kUnknownLevel || constant) return level;
  if (options.unknown == UnknownPolicy::kError) {
    throw encode_error(options, column, row,
                       fmt::format("is '{}', a level that no training row had (use a known level, "
                                   "or allow unknown values with --unknown warn),",
                                   text));
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

Error invalid(const std::string& name, const char* what) {
  return {ErrorCode::kInput, fmt::format("encoder column '{}' {}", name, what)};
}

bool is_frequency(double value) { return value >= 0 && value <= 1; }

void validate_column(const ContextColumn& column) {
  const bool is_text = column.kind == ColumnKind::kText;
  if (!std::isfinite(column.center)) throw invalid(column.name, "has a centre that is not finite");
  if (!(column.scale >= 0 && std::isfinite(column.scale)))
    throw invalid(column.name, "has an impossible scale");
  if (column.range && !(std::isfinite(column.range->lo) && std::isfinite(column.range->hi) &&
                        column.range->lo <= column.range->hi))
    throw invalid(column.name, "has an impossible range");
  if (is_text && column.range) throw invalid(column.name, "is text but has a range");
  if (is_text && column.scale != 0) throw invalid(column.name, "is text but has a scale");
  if (!is_text && !column.levels.empty()) throw invalid(column.name, "is a number but has levels");
  if (column.levels.size() != column.level_frequencies.size()) {
    throw invalid(column.name, "has different numbers of levels and frequencies");
  }
  const auto out_of_order =
      std::adjacent_find(column.levels.begin(), column.levels.end(), std::greater_equal<>());
  if (out_of_order != column.levels.end())
    throw invalid(column.name, "has levels that are not sorted and distinct");
  if (!std::all_of(column.level_frequencies.begin(), column.level_frequencies.end(),
                   is_frequency) ||
      !is_frequency(column.missing_frequency)) {
    throw invalid(column.name, "has a frequency outside 0 to 1");
  }
}

}  // namespace

int ContextColumn::num_encoded() const {
  const int values =
      kind == ColumnKind::kNumber ? (scale > 0 ? 1 : 0) : static_cast<int>(levels.size());
  return values + (has_missing ? 1 : 0);
}

int Encoder::num_encoded() const {
  int total = 0;
  for (const ContextColumn& column : contexts) total += column.num_encoded();
  return total;
}

std::vector<std::string> Encoder::encoded_names() const {
  std::vector<std::string> names;
  for (const ContextColumn& column : contexts) {
    if (column.kind == ColumnKind::kNumber && column.scale > 0) names.push_back(column.name);
    for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
    if (column.has_missing) names.push_back(column.name + " is missing");
  }
  return names;
}

std::vector<ColumnRequest> Encoder::context_requests() const {
  std::vector<ColumnRequest> requests;
  for (const ContextColumn& column : contexts)
    requests.push_back({column.name, column.kind == ColumnKind::kText, TextForm::kLevel});
  return requests;
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
      encode_numbers(contexts[i], std::span(&values[i].number, 1), cells, options, row);
    } else {
      encode_texts(contexts[i], std::span(&values[i].text, 1), cells, options, row);
    }
    out += contexts[i].num_encoded();
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
      encode_numbers(contexts[i], raw.numbers, {out, row_size}, options, chunk.first_row);
    } else {
      encode_texts(contexts[i], raw.texts, {out, row_size}, options, chunk.first_row);
    }
    out += contexts[i].num_encoded();
  }
}

void Encoder::validate() const {
  reading.validate();
  std::unordered_set<std::string> names;
  for (const ContextColumn& column : contexts) {
    validate_column(column);
    if (!names.insert(column.name).second) throw invalid(column.name, "is given twice");
  }
  for (const FactorColumn& factor : factors) {
    if (!std::isfinite(factor.center))
      throw invalid(factor.name, "has a centre that is not finite");
    if (!(factor.scale > 0 && std::isfinite(factor.scale)))
      throw invalid(factor.name, "has an impossible scale");
    if (!names.insert(factor.name).second) throw invalid(factor.name, "is given twice");
  }
}

}  // namespace otss
