// One column of raw values to its encoded columns: the formulas of otss/data/encoder.hpp, written
// once. Serving encodes values as they are read into rows of f64; fitting encodes values that wait
// as f32 into tiles.
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

namespace otss {

// Where the encoded columns of some rows go: f64, row after row.
struct RowCells {
  using Number = double;
  double* first;
  std::size_t row_size;
  double& at(std::size_t row, std::size_t column) const { return first[row * row_size + column]; }
};

// The same in a tile: f32, column after column.
struct TileCells {
  using Number = float;
  float* first;
  float& at(std::size_t row, std::size_t column) const { return first[column * kTileRows + row]; }
};

// The place of a text in ContextColumn::levels, or one of these.
inline constexpr std::uint32_t kMissingLevel = 0xFFFFFFFF;
inline constexpr std::uint32_t kUnknownLevel = 0xFFFFFFFE;
std::uint32_t find_level(const ContextColumn& column, std::string_view text);

// Values of a number column, NaN where missing; values of a text column, as levels.
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

// Texts stored as codes, in order of first appearance.
class StoredTexts {
 public:
  StoredTexts(const ContextColumn& column, const std::vector<std::string>& texts_by_code);
  void encode(std::span<const float> codes, TileCells out) const;

 private:
  const ContextColumn* column_;
  std::vector<std::uint32_t> level_of_code_;
};

}  // namespace otss
