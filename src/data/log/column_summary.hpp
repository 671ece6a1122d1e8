// A ColumnSummary computes the mean, standard deviation and range of a numeric column while it
// stores the values as f32. If rows have weights, the mean and the standard deviation are weighted:
// a row of weight 3 counts like three rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

// Rows are summed in strips of this many rows; only the last strip may be shorter. Since the strips
// do not depend on the file format, sums are bitwise identical for every format.
inline constexpr std::size_t kStripRows = 2048;

// The sums of one strip of a column. The sums of a whole column are the sums of its strips, added in
// row order, whatever the order in which threads computed them.
struct StripSummary {
  // The number of values, the sum of the shifted values, and the sum of their squares.
  double count = 0, sum = 0, squares = 0;
  // The same three sums, in which a row of weight w counts w times. Zero if rows have no weights.
  double weighted_count = 0, weighted_sum = 0, weighted_squares = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();

  bool saw_infinite() const { return std::isinf(min) ? count > 0 : std::isinf(max); }
};

// A value x is stored as (x - shift) / unit, where shift and unit are the mean and the standard
// deviation of the first strip. An f32 number then holds seven digits of the difference to the
// mean, even for a column of Unix timestamps. Sums are computed in f64 from the shifted values.
class ColumnSummary {
 public:
  // Chooses shift and unit from a strip. Does nothing if the strip has only missing values. Call
  // this function for the first strip that has a value, before storing it.
  void choose_shift(std::span<const double> strip);

  // Stores the strip in `column` of `raw`, starting at row `first_row`, a multiple of kTileRows.
  // Missing values are stored as NaN. `weights` has one entry per value; if the log has no weights,
  // `weights` is empty in every call. Several threads may store strips at the same time.
  StripSummary store(std::span<const double> strip, std::span<const double> weights,
                     TileMatrix& raw, std::size_t first_row, int column) const;
  // Adds the sums of a strip. Call this function once per strip, in row order.
  void add(const StripSummary& strip, bool is_weighted);
  // Does the work of the three functions above, for a column whose strips come in row order.
  void absorb(std::span<const double> strip, std::span<const double> weights, TileMatrix& raw,
              std::size_t first_row, int column);

  bool has_shift() const { return shift_chosen_; }
  double unit() const { return 1 / inverse_unit_; }
  double shifted(double value) const { return (value - shift_) * inverse_unit_; }
  double restore(double shifted_value) const { return shifted_value / inverse_unit_ + shift_; }

  double num_present() const { return rows_.count; }
  // Returns the sum of the weights of all rows with a value. Without row weights, this is
  // num_present().
  double present_weight() const { return counted().count; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return restore(counted().mean()); }
  double sd() const { return counted().sd() / inverse_unit_; }
  // Return the mean and the standard deviation of the stored values (x - shift) / unit. Row weights
  // are ignored.
  double shifted_mean() const { return rows_.mean(); }
  double shifted_sd() const { return rows_.sd(); }

  bool is_constant() const { return !(min_ < max_ && counted().sd() > 0 && sd() > 0); }

  // Returns false if a stored value of the strip is infinite as f32. This happens if a value of a
  // later strip is extremely far from the values of the first strip.
  bool fits_f32(const StripSummary& strip) const;
  // Returns false if a standardised value would be infinite as f32. This happens if a row of weight
  // 0, which does not affect the mean, has a value extremely far from the other values.
  bool standardised_fits_f32() const;

 private:
  struct Moments {
    // The number of values, the sum of the shifted values, and the sum of their squares. In
    // `weighted_`, a row of weight w counts w times in each of the three.
    double count = 0, sum = 0, squares = 0;
    double mean() const { return sum / count; }
    double sd() const;
  };

  void add_weighted(std::span<const double> strip, std::span<const double> weights,
                    StripSummary& sums) const;
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

}  // namespace otss::internal
