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

void ColumnSummary::add_weighted(std::span<const double> strip, std::span<const double> weights,
                                 StripSummary& sums) const {
  for (std::size_t i = 0; i < strip.size(); ++i) {
    if (std::isnan(strip[i])) continue;
    const double value = shifted(strip[i]);
    sums.weighted_count += weights[i];
    sums.weighted_sum += weights[i] * value;
    sums.weighted_squares += weights[i] * value * value;
  }
}

StripSummary ColumnSummary::store(std::span<const double> strip, std::span<const double> weights,
                                  TileMatrix& raw, std::size_t first_row, int column) const {
  StripSummary summary;
  StripSums sums{};
  std::fill_n(sums.min, kSumLanes, summary.min);
  std::fill_n(sums.max, kSumLanes, summary.max);
  strip_kernel(active_isa())
      .absorb(strip.data(), strip.size(), shift_, inverse_unit_, sums, &raw.at(first_row, column),
              raw.tile_size());
  summary.count = total(sums.present);
  summary.sum = total(sums.sum);
  summary.squares = total(sums.squares);
  if (!weights.empty()) add_weighted(strip, weights, summary);
  summary.min = *std::min_element(sums.min, sums.min + kSumLanes);
  summary.max = *std::max_element(sums.max, sums.max + kSumLanes);
  return summary;
}

void ColumnSummary::add(const StripSummary& strip, bool is_weighted) {
  rows_.count += strip.count;
  rows_.sum += strip.sum;
  rows_.squares += strip.squares;
  is_weighted_ = is_weighted;
  weighted_.count += strip.weighted_count;
  weighted_.sum += strip.weighted_sum;
  weighted_.squares += strip.weighted_squares;
  min_ = std::min(min_, strip.min);
  max_ = std::max(max_, strip.max);
}

void ColumnSummary::absorb(std::span<const double> strip, std::span<const double> weights,
                           TileMatrix& raw, std::size_t first_row, int column) {
  if (!shift_chosen_) choose_shift(strip);
  add(store(strip, weights, raw, first_row, column), !weights.empty());
}

double ColumnSummary::Moments::sd() const {
  return std::sqrt(std::max(0.0, squares / count - mean() * mean()));
}

bool ColumnSummary::fits_f32(const StripSummary& strip) const {
  return strip.count == 0 ||
         (std::abs(shifted(strip.min)) < kLargest && std::abs(shifted(strip.max)) < kLargest);
}

bool ColumnSummary::standardised_fits_f32() const {
  return std::max(max_ - mean(), mean() - min_) / sd() < kLargest;
}

}  // namespace otss::internal
