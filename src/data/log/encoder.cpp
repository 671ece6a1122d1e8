#include "otss/data/encoder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "otss/base/error.hpp"

namespace otss {
namespace {

double indicator(bool holds, double frequency) { return ((holds ? 1.0 : 0.0) - frequency) / 0.5; }

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
                     "is missing (it never was in training; fill it in or allow unknown values)");
}

void encode_number(const ContextColumn& column, double value, double* out,
                   const EncodeOptions& options, std::size_t row) {
  const bool missing = std::isnan(value);
  if (missing) meet_missing(options, column, row);
  if (std::isinf(value)) throw encode_error(options, column, row, "is infinite");
  if (column.scale > 0) *out++ = missing ? 0.0 : (value - column.center) / column.scale;
  if (column.has_missing) *out = indicator(missing, column.missing_frequency);
}

void encode_text(const ContextColumn& column, std::string_view value, double* out,
                 const EncodeOptions& options, std::size_t row) {
  const std::size_t num_levels = column.levels.size();
  for (std::size_t i = 0; i < num_levels; ++i)
    out[i] = indicator(false, column.level_frequencies[i]);
  const bool missing = value.data() == nullptr;
  if (column.has_missing) out[num_levels] = indicator(missing, column.missing_frequency);
  if (missing) {
    meet_missing(options, column, row);
    if (!column.has_missing) std::fill_n(out, num_levels, 0.0);  // the mean of every indicator
    return;
  }
  if (num_levels == 0) return;
  const auto level = std::lower_bound(column.levels.begin(), column.levels.end(), value);
  if (level != column.levels.end() && *level == value) {
    const auto index = static_cast<std::size_t>(level - column.levels.begin());
    out[index] = indicator(true, column.level_frequencies[index]);
  } else if (options.unknown == UnknownPolicy::kCount) {
    if (options.counts != nullptr) ++options.counts->unknown_levels;
  } else {
    throw encode_error(
        options, column, row,
        fmt::format("is '{}', a level never seen in training (use a known level or allow unknown "
                    "values),",
                    value));
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
  if (is_text && column.scale != 0) throw invalid(column.name, "is text but has a scale");
  if (!is_text && !column.levels.empty()) throw invalid(column.name, "is a number but has levels");
  if (column.levels.size() != column.level_frequencies.size()) {
    throw invalid(column.name, "has another number of levels than of frequencies");
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
    requests.push_back({column.name, column.kind == ColumnKind::kText});
  return requests;
}

void Encoder::encode(std::span<const RawValue> values, std::span<double> encoded,
                     const EncodeOptions& options, std::size_t row) const {
  assert(values.size() == contexts.size());
  double* out = encoded.data();
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (contexts[i].kind == ColumnKind::kNumber) {
      encode_number(contexts[i], values[i].number, out, options, row);
    } else {
      encode_text(contexts[i], values[i].text, out, options, row);
    }
    out += contexts[i].num_encoded();
  }
}

void Encoder::encode(const TableChunk& chunk, std::span<double> encoded,
                     const EncodeOptions& options) const {
  const auto stride = static_cast<std::size_t>(num_encoded());
  assert(encoded.size() >= chunk.num_rows * stride);
  std::size_t first = 0;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const ContextColumn& column = contexts[i];
    const ColumnChunk& raw = chunk.columns[i];
    assert(raw.kind == column.kind);
    double* out = encoded.data() + first;
    for (std::size_t row = 0; row < chunk.num_rows; ++row, out += stride) {
      if (column.kind == ColumnKind::kNumber) {
        encode_number(column, raw.numbers[row], out, options, chunk.first_row + row);
      } else {
        encode_text(column, raw.texts[row], out, options, chunk.first_row + row);
      }
    }
    first += static_cast<std::size_t>(column.num_encoded());
  }
}

void Encoder::validate() const {
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
