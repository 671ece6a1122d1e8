#include "data/tile_encoder.hpp"

#include <algorithm>
#include <cmath>

#include "data/isa/strip_kernel.hpp"

namespace otss {
namespace {

float tile_indicator(bool holds, double frequency) {
  return static_cast<float>(((holds ? 1.0 : 0.0) - frequency) / 0.5);
}

void encode_missing(const float* raw, float* encoded, std::size_t num_rows, float present,
                    float missing) {
  for (std::size_t i = 0; i < num_rows; ++i) encoded[i] = raw[i] == raw[i] ? present : missing;
}

}  // namespace

NumberTileEncoder::NumberTileEncoder(const ColumnSummary& summary, double center, double scale,
                                     bool has_missing, double missing_frequency)
    : has_values_(scale > 0),
      has_missing_(has_missing),
      present_(tile_indicator(false, missing_frequency)),
      missing_(tile_indicator(true, missing_frequency)) {
  if (!has_values_) return;
  offset_ = static_cast<float>((summary.restore(0) - center) / scale);
  slope_ = static_cast<float>(summary.unit() / scale);
}

void NumberTileEncoder::encode(const float* raw, float* encoded, std::size_t num_rows) const {
  if (has_values_) {
    strip_kernel(active_isa()).standardise(raw, num_rows, slope_, offset_, encoded);
    encoded += kTileRows;
  }
  if (has_missing_) encode_missing(raw, encoded, num_rows, present_, missing_);
}

TextTileEncoder::TextTileEncoder(const ContextColumn& column,
                                 const std::vector<std::string>& texts_by_code)
    : has_missing_(column.has_missing),
      present_(tile_indicator(false, column.missing_frequency)),
      missing_(tile_indicator(true, column.missing_frequency)) {
  for (const double frequency : column.level_frequencies) {
    off_.push_back(tile_indicator(false, frequency));
    on_.push_back(tile_indicator(true, frequency));
  }
  if (column.levels.empty()) return;
  for (const std::string& text : texts_by_code) {
    const auto level = std::lower_bound(column.levels.begin(), column.levels.end(), text);
    rank_of_code_.push_back(static_cast<std::uint32_t>(level - column.levels.begin()));
  }
}

void TextTileEncoder::encode(const float* raw, float* encoded, std::size_t num_rows) const {
  for (std::size_t level = 0; level < off_.size(); ++level) {
    std::fill_n(encoded + level * kTileRows, num_rows, off_[level]);
  }
  if (!rank_of_code_.empty()) {
    for (std::size_t i = 0; i < num_rows; ++i) {
      if (std::isnan(raw[i])) continue;
      const std::uint32_t level = rank_of_code_[static_cast<std::size_t>(raw[i])];
      encoded[level * kTileRows + i] = on_[level];
    }
  }
  if (has_missing_)
    encode_missing(raw, encoded + off_.size() * kTileRows, num_rows, present_, missing_);
}

}  // namespace otss
