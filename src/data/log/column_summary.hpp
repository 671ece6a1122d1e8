// Mean, spread and range of a numeric column, gathered while its values pass by into f32 storage.
// With sample weights, mean and spread are those of a log that repeats each row so many times.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "data/log/tile_matrix.hpp"

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
  // missing values as NaN. `weights` has one for each value, or is empty throughout.
  void absorb(std::span<const double> strip, std::span<const double> weights, TileMatrix& raw,
              std::size_t first_row, int column);

  double unit() const { return 1 / inverse_unit_; }
  double shifted(double value) const { return (value - shift_) * inverse_unit_; }
  double restore(double shifted_value) const { return shifted_value / inverse_unit_ + shift_; }

  double num_present() const { return rows_.count; }
  double present_weight() const { return counted().count; }  // without weights: num_present()
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return restore(counted().mean()); }
  double sd() const { return counted().sd() / inverse_unit_; }
  double shifted_mean() const { return rows_.mean(); }  // every row counting once
  double shifted_sd() const { return rows_.sd(); }

  bool saw_infinite() const { return std::isinf(min_) ? num_present() > 0 : std::isinf(max_); }
  bool is_constant() const { return !(min_ < max_ && counted().sd() > 0 && sd() > 0); }

  bool fits_f32() const;  // false when the first strip was no guide to the range of the rest
  bool standardised_fits_f32() const;  // false for values far from all that have a weight

 private:
  struct Moments {
    double count = 0, sum = 0, squares = 0;  // of the shifted values
    double mean() const { return sum / count; }
    double sd() const;
  };

  void choose_shift(std::span<const double> strip);
  void add_weighted(std::span<const double> strip, std::span<const double> weights);
  const Moments& counted() const { return is_weighted_ ? weighted_ : rows_; }

  bool shift_chosen_ = false;
  double shift_ = 0;
  double inverse_unit_ = 1;
  Moments rows_;
  Moments weighted_;
  bool is_weighted_ = false;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
};

}  // namespace otss
