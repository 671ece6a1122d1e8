#include "data/log/column_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/log/isa/strip_kernel.hpp"

namespace otss::internal {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();

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

void ColumnSummary::add_weighted(std::span<const double> strip, std::span<const double> weights) {
  is_weighted_ = true;
  for (std::size_t i = 0; i < strip.size(); ++i) {
    if (std::isnan(strip[i])) continue;
    const double value = shifted(strip[i]);
    weighted_.count += weights[i];
    weighted_.sum += weights[i] * value;
    weighted_.squares += weights[i] * value * value;
  }
}

void ColumnSummary::absorb(std::span<const double> strip, std::span<const double> weights,
                           TileMatrix& raw, std::size_t first_row, int column) {
  if (!shift_chosen_) choose_shift(strip);
  StripSums sums{};
  std::fill_n(sums.min, kSumLanes, min_);
  std::fill_n(sums.max, kSumLanes, max_);
  strip_kernel(active_isa())
      .absorb(strip.data(), strip.size(), shift_, inverse_unit_, sums, &raw.at(first_row, column),
              raw.tile_size());
  rows_.count += total(sums.present);
  rows_.sum += total(sums.sum);
  rows_.squares += total(sums.squares);
  if (!weights.empty()) add_weighted(strip, weights);
  min_ = *std::min_element(sums.min, sums.min + kSumLanes);
  max_ = *std::max_element(sums.max, sums.max + kSumLanes);
}

double ColumnSummary::Moments::sd() const {
  return std::sqrt(std::max(0.0, squares / count - mean() * mean()));
}

bool ColumnSummary::fits_f32() const {
  return num_present() == 0 ||
         (std::abs(shifted(min_)) < kLargest && std::abs(shifted(max_)) < kLargest);
}

bool ColumnSummary::standardised_fits_f32() const {
  return std::max(max_ - mean(), mean() - min_) / sd() < kLargest;
}

}  // namespace otss::internal
