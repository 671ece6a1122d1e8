#include "data/log/column_encoder.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "data/log/isa/strip_kernel.hpp"

namespace otss::internal {
namespace {

double standardised(const ContextColumn& column, double value) {
  return (value - column.center) / column.scale;
}

double indicator(bool holds, double frequency) { return ((holds ? 1.0 : 0.0) - frequency) / 0.5; }

// Writes the indicator "is missing". `index` is the position of this indicator among the encoded
// columns of the raw column.
template <class Cells, class IsMissing>
void encode_missing(const ContextColumn& column, std::size_t index, std::size_t num_rows,
                    const Cells& out, IsMissing is_missing) {
  if (!column.has_missing) return;
  using Number = typename Cells::Number;
  const auto present = static_cast<Number>(indicator(false, column.missing_frequency));
  const auto missing = static_cast<Number>(indicator(true, column.missing_frequency));
  for (std::size_t row = 0; row < num_rows; ++row)
    out.at(row, index) = is_missing(row) ? missing : present;
}

template <class Cells>
void encode_levels_into(const ContextColumn& column, std::span<const std::uint32_t> levels,
                        const Cells& out) {
  using Number = typename Cells::Number;
  const std::size_t num_levels = column.levels.size();
  const auto cell = [&](bool holds, std::size_t level) {
    return static_cast<Number>(indicator(holds, column.level_frequencies[level]));
  };
  for (std::size_t level = 0; level < num_levels; ++level) {
    const Number off = cell(false, level);
    for (std::size_t row = 0; row < levels.size(); ++row) out.at(row, level) = off;
  }
  for (std::size_t row = 0; row < levels.size(); ++row) {
    if (levels[row] < num_levels) out.at(row, levels[row]) = cell(true, levels[row]);
    if (levels[row] != kMissingLevel || column.has_missing) continue;
    // The value is missing, but no value of this column was missing in training. So every indicator
    // is set to its mean, which is encoded as 0.
    for (std::size_t level = 0; level < num_levels; ++level) out.at(row, level) = 0;
  }
  encode_missing(column, num_levels, levels.size(), out,
                 [&](std::size_t row) { return levels[row] == kMissingLevel; });
}

}  // namespace

std::uint32_t find_level(const ContextColumn& column, std::string_view text) {
  if (text.data() == nullptr) return kMissingLevel;
  const auto found = std::lower_bound(column.levels.begin(), column.levels.end(), text);
  if (found == column.levels.end() || *found != text) return kUnknownLevel;
  return static_cast<std::uint32_t>(found - column.levels.begin());
}

void encode_numbers(const ContextColumn& column, std::span<const double> values, RowCells out) {
  const bool has_values = column.scale > 0;
  for (std::size_t row = 0; has_values && row < values.size(); ++row)
    out.at(row, 0) = std::isnan(values[row]) ? 0.0 : standardised(column, values[row]);
  encode_missing(column, has_values ? 1 : 0, values.size(), out,
                 [&](std::size_t row) { return std::isnan(values[row]); });
}

void encode_levels(const ContextColumn& column, std::span<const std::uint32_t> levels,
                   RowCells out) {
  encode_levels_into(column, levels, out);
}

StoredNumbers::StoredNumbers(const ContextColumn& column, const ColumnSummary& summary)
    : column_(&column) {
  if (!(column.scale > 0)) return;
  slope_ = static_cast<float>(summary.unit() / column.scale);
  offset_ = static_cast<float>(standardised(column, summary.restore(0)));
}

void StoredNumbers::encode(std::span<const float> stored, TileCells out) const {
  const bool has_values = column_->scale > 0;
  if (has_values) {
    strip_kernel(active_isa())
        .standardise(stored.data(), stored.size(), slope_, offset_, out.first);
  }
  encode_missing(*column_, has_values ? 1 : 0, stored.size(), out,
                 [&](std::size_t row) { return stored[row] != stored[row]; });
}

StoredTexts::StoredTexts(const ContextColumn& column, const std::vector<std::string>& texts_by_code)
    : column_(&column) {
  for (const std::string& text : texts_by_code) level_of_code_.push_back(find_level(column, text));
}

void StoredTexts::encode(std::span<const float> codes, TileCells out) const {
  assert(codes.size() <= kTileRows);
  std::array<std::uint32_t, kTileRows> levels;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    levels[row] = std::isnan(codes[row]) ? kMissingLevel
                                         : level_of_code_[static_cast<std::size_t>(codes[row])];
  }
  encode_levels_into(*column_, std::span(levels).first(codes.size()), out);
}

}  // namespace otss::internal
