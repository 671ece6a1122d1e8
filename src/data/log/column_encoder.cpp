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

template <class Cells>
void encode_pairs_into(const LevelPairs& pairs, std::span<const std::uint32_t> first,
                       std::span<const std::uint32_t> second, const Cells& out) {
  using Number = typename Cells::Number;
  for (std::size_t pair = 0; pair < pairs.pairs.size(); ++pair) {
    const auto off = static_cast<Number>(indicator(false, pairs.frequencies[pair]));
    for (std::size_t row = 0; row < first.size(); ++row) out.at(row, pair) = off;
  }
  for (std::size_t row = 0; row < first.size(); ++row) {
    const std::pair levels(first[row], second[row]);
    const auto found = std::lower_bound(pairs.pairs.begin(), pairs.pairs.end(), levels);
    if (found == pairs.pairs.end() || *found != levels) continue;
    const std::size_t pair = found - pairs.pairs.begin();
    out.at(row, pair) = static_cast<Number>(indicator(true, pairs.frequencies[pair]));
  }
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

void encode_pairs(const LevelPairs& pairs, std::span<const std::uint32_t> first,
                  std::span<const std::uint32_t> second, RowCells out) {
  encode_pairs_into(pairs, first, second, out);
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

void StoredTexts::levels(std::span<const float> codes, std::span<std::uint32_t> levels) const {
  for (std::size_t row = 0; row < codes.size(); ++row) {
    levels[row] = std::isnan(codes[row]) ? kMissingLevel
                                         : level_of_code_[static_cast<std::size_t>(codes[row])];
  }
}

void StoredTexts::encode(std::span<const float> codes, TileCells out) const {
  assert(codes.size() <= kTileRows);
  std::array<std::uint32_t, kTileRows> found;
  levels(codes, found);
  encode_levels_into(*column_, std::span(found).first(codes.size()), out);
}

void encode_stored_pairs(const LevelPairs& pairs, const StoredTexts& first,
                         std::span<const float> first_codes, const StoredTexts& second,
                         std::span<const float> second_codes, TileCells out) {
  std::array<std::uint32_t, kTileRows> of_first, of_second;
  first.levels(first_codes, of_first);
  second.levels(second_codes, of_second);
  encode_pairs_into(pairs, std::span(of_first).first(first_codes.size()),
                    std::span(of_second).first(second_codes.size()), out);
}

}  // namespace otss::internal
