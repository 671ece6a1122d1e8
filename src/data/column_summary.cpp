#include "data/column_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/isa/strip_kernel.hpp"

namespace otss {
namespace {

double total(const double (&lanes)[kSumLanes]) {
  return std::accumulate(lanes, lanes + kSumLanes, 0.0);
}

}  // namespace

void ColumnSummary::choose_shift(std::span<const double> strip) {
  double count = 0;
  double mean = 0;
  double squares = 0;
  for (const double value : strip) {
    if (std::isnan(value)) continue;
    ++count;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }
  if (count == 0) return;
  shift_chosen_ = true;
  shift_ = mean;
  const double inverse_sd = std::sqrt(count / squares);
  if (squares > 0 && std::isfinite(squares) && std::isfinite(inverse_sd))
    inverse_unit_ = inverse_sd;
}

void ColumnSummary::absorb(std::span<const double> strip, TileMatrix& raw, std::size_t first_row,
                           int column) {
  if (!shift_chosen_) choose_shift(strip);
  StripSums sums{};
  std::fill_n(sums.min, kSumLanes, min_);
  std::fill_n(sums.max, kSumLanes, max_);
  strip_kernel(active_isa())
      .absorb(strip.data(), strip.size(), shift_, inverse_unit_, sums, &raw.at(first_row, column),
              raw.tile_size());
  num_present_ += total(sums.present);
  sum_ += total(sums.sum);
  sum_squares_ += total(sums.squares);
  min_ = *std::min_element(sums.min, sums.min + kSumLanes);
  max_ = *std::max_element(sums.max, sums.max + kSumLanes);
}

double ColumnSummary::shifted_sd() const {
  const double mean = shifted_mean();
  return std::sqrt(std::max(0.0, sum_squares_ / num_present_ - mean * mean));
}

bool ColumnSummary::fits_f32() const {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return num_present_ == 0 ||
         (std::abs(shifted(min_)) < kLargest && std::abs(shifted(max_)) < kLargest);
}

}  // namespace otss
