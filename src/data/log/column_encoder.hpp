// This header encodes one column of raw values by the formulas of otss/data/encoder.hpp. New
// contexts are encoded from f64 values into rows of f64. A log is encoded from stored f32 values
// into tiles of f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/column_summary.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/data/encoder.hpp"

namespace otss::internal {

// The memory for encoded columns of new contexts: f64, row after row.
struct RowCells {
  using Number = double;
  double* first;
  std::size_t row_size;
  double& at(std::size_t row, std::size_t column) const { return first[row * row_size + column]; }
};

// The memory for encoded columns in one tile of a log: f32, column after column.
struct TileCells {
  using Number = float;
  float* first;
  float& at(std::size_t row, std::size_t column) const { return first[column * kTileRows + row]; }
};

// find_level returns the index of a text in ContextColumn::levels, or one of these two constants.
inline constexpr std::uint32_t kMissingLevel = 0xFFFFFFFF;
inline constexpr std::uint32_t kUnknownLevel = 0xFFFFFFFE;
std::uint32_t find_level(const ContextColumn& column, std::string_view text);

// encode_numbers encodes a column of numbers, in which NaN means missing. encode_levels encodes a
// column of texts; `levels` has the result of find_level for each text.
void encode_numbers(const ContextColumn& column, std::span<const double> values, RowCells out);
void encode_levels(const ContextColumn& column, std::span<const std::uint32_t> levels,
                   RowCells out);

// encode_pairs encodes pairs of levels of two text columns. The spans have the result of find_level
// for each text of the two columns.
void encode_pairs(const LevelPairs& pairs, std::span<const std::uint32_t> first,
                  std::span<const std::uint32_t> second, RowCells out);

// A ColumnSummary stores a raw number x of a column as s = (x - shift) / unit. Encoding s takes one
// multiplication and one addition:
//
//   (x - center) / scale = (unit / scale) s + (shift - center) / scale
class StoredNumbers {
 public:
  StoredNumbers(const ContextColumn& column, const ColumnSummary& summary);
  void encode(std::span<const float> stored, TileCells out) const;

 private:
  const ContextColumn* column_;
  float slope_ = 0, offset_ = 0;
};

// The texts of a column, stored as codes. Codes are numbered in the order in which the texts first
// appear.
class StoredTexts {
 public:
  StoredTexts(const ContextColumn& column, const std::vector<std::string>& texts_by_code);
  void encode(std::span<const float> codes, TileCells out) const;
  // For each code, writes the index of its level. The index is what find_level returns for its
  // text.
  void levels(std::span<const float> codes, std::span<std::uint32_t> levels) const;

 private:
  const ContextColumn* column_;
  std::vector<std::uint32_t> level_of_code_;
};

// Encodes pairs of levels of two text columns that are stored as codes.
void encode_stored_pairs(const LevelPairs& pairs, const StoredTexts& first,
                         std::span<const float> first_codes, const StoredTexts& second,
                         std::span<const float> second_codes, TileCells out);

}  // namespace otss::internal
