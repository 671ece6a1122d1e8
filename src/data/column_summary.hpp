// Mean, spread and range of a numeric column, gathered while its values pass by into f32 storage.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "otss/data/tile_matrix.hpp"

namespace otss {

// Rows arrive in strips of this many (the last may be shorter) wherever they come from: sums over
// fixed strips are the same bits for every file format.
inline constexpr std::size_t kStripRows = 2048;

// A value x is stored as (x - shift) / unit, with the mean and the sd of the first strip: f32 then
// keeps seven digits of what varies, also in a column like a unix timestamp. Sums are f64 and of
// the same shifted values.
class ColumnSummary {
 public:
  // Stores the strip in `column` of `raw` from row `first_row` (a multiple of kTileRows) on;
  // missing values as NaN.
  void absorb(std::span<const double> strip, TileMatrix& raw, std::size_t first_row, int column);

  double unit() const { return 1 / inverse_unit_; }
  double shifted(double value) const { return (value - shift_) * inverse_unit_; }
  double restore(double shifted_value) const { return shifted_value / inverse_unit_ + shift_; }

  double num_present() const { return num_present_; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return restore(shifted_mean()); }
  double sd() const { return shifted_sd() / inverse_unit_; }
  double shifted_mean() const { return sum_ / num_present_; }
  double shifted_sd() const;

  bool saw_infinite() const { return std::isinf(min_) ? num_present_ > 0 : std::isinf(max_); }
  bool is_constant() const { return !(min_ < max_ && shifted_sd() > 0 && sd() > 0); }
  bool fits_f32() const;  // false when the first strip was no guide to the range of the rest

 private:
  void choose_shift(std::span<const double> strip);

  bool shift_chosen_ = false;
  double shift_ = 0;
  double inverse_unit_ = 1;
  double num_present_ = 0;
  double sum_ = 0;
  double sum_squares_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
};

}  // namespace otss
