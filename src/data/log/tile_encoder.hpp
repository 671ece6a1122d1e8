// One raw column of a tile to its encoded columns.
#pragma once

#include <cstdint>
#include <vector>

#include "data/log/column_summary.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/data/encoder.hpp"

namespace otss {

// A number, stored as (x - shift) / unit: one multiplication and addition bring it to (x - center)
// / scale.
class NumberTileEncoder {
 public:
  NumberTileEncoder(const ColumnSummary& summary, double center, double scale, bool has_missing,
                    double missing_frequency);
  void encode(const float* raw, float* encoded, std::size_t num_rows) const;

 private:
  bool has_values_;
  float slope_ = 0, offset_ = 0;
  bool has_missing_;
  float present_, missing_;
};

// A text, stored as its code in order of appearance.
class TextTileEncoder {
 public:
  TextTileEncoder(const ContextColumn& column, const std::vector<std::string>& texts_by_code);
  void encode(const float* raw, float* encoded, std::size_t num_rows) const;

 private:
  std::vector<std::uint32_t> rank_of_code_;
  std::vector<float> off_, on_;  // per level
  bool has_missing_;
  float present_, missing_;
};

}  // namespace otss
