// Encodes one column of raw values by the formulas of otss/data/encoder.hpp. It is used to encode
// new contexts (f64 values as read, into rows of f64) and to fit (values stored as f32, into
// tiles).
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

// Memory for encoded columns: f64, row after row.
struct RowCells {
  using Number = double;
  double* first;
  std::size_t row_size;
  double& at(std::size_t row, std::size_t column) const { return first[row * row_size + column]; }
};

// Memory for encoded columns in a tile: f32, column after column.
struct TileCells {
  using Number = float;
  float* first;
  float& at(std::size_t row, std::size_t column) const { return first[column * kTileRows + row]; }
};

// find_level returns the index of a text in ContextColumn::levels, or one of these two constants.
inline constexpr std::uint32_t kMissingLevel = 0xFFFFFFFF;
inline constexpr std::uint32_t kUnknownLevel = 0xFFFFFFFE;
std::uint32_t find_level(const ContextColumn& column, std::string_view text);

// Encode a column of numbers (NaN means missing), or a column of texts given as the results of
// find_level.
void encode_numbers(const ContextColumn& column, std::span<const double> values, RowCells out);
void encode_levels(const ContextColumn& column, std::span<const std::uint32_t> levels,
                   RowCells out);

// Numbers as a ColumnSummary stores them, s = (x - shift) / unit. Encoding them is one
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

// Texts stored as codes. Codes are numbered in the order in which texts first appear.
class StoredTexts {
 public:
  StoredTexts(const ContextColumn& column, const std::vector<std::string>& texts_by_code);
  void encode(std::span<const float> codes, TileCells out) const;

 private:
  const ContextColumn* column_;
  std::vector<std::uint32_t> level_of_code_;
};

}  // namespace otss::internal
