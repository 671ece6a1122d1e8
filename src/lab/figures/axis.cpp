#include "lab/figures/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/figures/svg.hpp"

namespace otss::internal::figures {
namespace {

// Values beyond these limits are not shown, because their differences or ratios could overflow.
// kSmallestLog is the lower limit of a logarithmic axis.
constexpr double kLargest = 1e150;
constexpr double kSmallestLog = 1e-150;

constexpr double kPadding = 0.04;  // empty part at each end of the axis, as a share of the range

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), std::max(decimals, 0));
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? "\u2212" + text : text;
}

std::string exponent_text(int exponent) { return fixed(exponent, 0); }

// The distance between two ticks. It is 1, 2 or 5 times a power of ten.
struct Step {
  int mantissa = 1;
  int exponent = 0;

  double value() const { return mantissa * power_of_ten(exponent); }
  void grow() {
    if (mantissa == 5) ++exponent;
    mantissa = mantissa == 1 ? 2 : mantissa == 2 ? 5 : 1;
  }
};

Tick linear_tick(double value, const Step& step, double largest) {
  const int magnitude = static_cast<int>(std::floor(std::log10(largest)));
  const bool plain = magnitude < 6 && step.exponent > -5;
  if (plain || std::abs(value) < 0.5 * step.value())
    return {value, plain ? fixed(value, -step.exponent) : "0", ""};
  return {value, fixed(value / power_of_ten(magnitude), magnitude - step.exponent) + "×10",
          exponent_text(magnitude)};
}

Tick log_tick(int mantissa, int exponent, bool plain) {
  const double value = mantissa * power_of_ten(exponent);
  if (plain) return {value, fixed(value, -exponent), ""};
  const std::string factor = mantissa == 1 ? "" : fmt::format("{}×", mantissa);
  return {value, factor + "10", exponent_text(exponent)};
}

// True if labels between these powers of ten are written without an exponent ("0.001", "2000").
bool fits_without_exponent(int lowest_exponent, int highest_exponent) {
  return lowest_exponent >= -3 && highest_exponent <= 4;
}

}  // namespace

bool Extent::shows(double value) const {
  if (!(std::abs(value) <= kLargest)) return false;
  return scale_ == Scale::kLinear || value >= kSmallestLog;
}

void Extent::include(double value) {
  if (!shows(value)) return;
  lo_ = std::min(lo_, value);
  hi_ = std::max(hi_, value);
}

void Extent::start_at_zero_if_near() {
  rests_on_zero_ = scale_ == Scale::kLinear && lo_ >= 0 && lo_ <= 0.5 * hi_;
  if (rests_on_zero_) lo_ = 0;
}

Extent::Ends Extent::ends() const {
  if (lo_ > hi_) return {};
  double lo = scale_ == Scale::kLog ? std::log10(lo_) : lo_;
  double hi = scale_ == Scale::kLog ? std::log10(hi_) : hi_;
  const double size = std::max(std::abs(lo), std::abs(hi));
  if (hi - lo <= 1e-9 * size || hi == lo) {
    const double around = scale_ == Scale::kLog ? 0.3 : size > 0 ? 0.1 * size : 1.0;
    return {lo - around, hi + around};
  }
  const double padding = kPadding * (hi - lo);
  return {rests_on_zero_ ? 0 : lo - padding, hi + padding};
}

double Tick::label_width() const {
  return text_width(label, kTickTextSize) + text_width(exponent, 0.74 * kTickTextSize);
}

Axis::Axis(const Extent& extent, Direction direction, double from, double to)
    : scale_(extent.scale()), direction_(direction), ends_(extent.ends()), from_(from), to_(to) {}

double Axis::coordinate(double value) const {
  return scale_ == Scale::kLinear ? value : std::log10(std::max(value, kSmallestLog));
}

double Axis::at(double value) const {
  const double share = (coordinate(value) - ends_.lo) / (ends_.hi - ends_.lo);
  return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
}

std::vector<Tick> Axis::ticks() const {
  return scale_ == Scale::kLinear ? linear_ticks() : log_ticks();
}

bool Axis::labels_fit(const std::vector<Tick>& ticks) const {
  const bool across = direction_ == Direction::kAcross;
  // On a wide axis more labels would fit, but about eight are enough for a reader.
  const double least = across ? std::max(36.0, std::abs(to_ - from_) / 8.5) : 28.0;
  const Tick* previous = nullptr;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    if (previous) {
      const double distance = std::abs(at(tick.value) - at(previous->value));
      const double widths = across ? (previous->label_width() + tick.label_width()) / 2 + 12 : 0;
      if (distance < std::max(widths, least)) return false;
    }
    previous = &tick;
  }
  return true;
}

// Returns ticks at equal distances. A logarithmic axis has such ticks too if it is too short for
// ticks at multiples of powers of ten.
std::vector<Tick> Axis::linear_ticks() const {
  const bool log = scale_ == Scale::kLog;
  const double lo = log ? std::pow(10, ends_.lo) : ends_.lo;
  const double hi = log ? std::pow(10, ends_.hi) : ends_.hi;
  const double largest = std::max(std::abs(lo), std::abs(hi));
  Step step{1, static_cast<int>(std::floor(std::log10((hi - lo) / 20)))};
  for (;; step.grow()) {
    std::vector<Tick> ticks;
    // An end of the axis may be a multiple of the step only up to rounding. With the tolerance
    // 1e-9, such an end gets a tick.
    const double first = std::ceil(lo / step.value() - 1e-9);
    for (double i = first; i * step.value() <= hi + 1e-9 * step.value(); ++i)
      ticks.push_back(linear_tick(i * step.value(), step, largest));
    if (labels_fit(ticks)) return ticks;
  }
}

std::vector<Tick> Axis::log_ticks() const {
  const auto num_labels = [](const std::vector<Tick>& ticks) {
    return std::count_if(ticks.begin(), ticks.end(),
                         [](const Tick& tick) { return !tick.label.empty(); });
  };
  if (std::floor(ends_.hi) - std::ceil(ends_.lo) >= 1) return decade_ticks();
  for (const std::vector<int>& labelled : {std::vector<int>{1, 2, 5}, {1, 3}}) {
    std::vector<Tick> ticks = mantissa_ticks(labelled);
    if (num_labels(ticks) >= 2 && labels_fit(ticks)) return ticks;
  }
  return linear_ticks();
}

std::vector<Tick> Axis::decade_ticks() const {
  const int lowest = static_cast<int>(std::ceil(ends_.lo));
  const int highest = static_cast<int>(std::floor(ends_.hi));
  const bool plain = fits_without_exponent(lowest, highest);
  for (int every = 1;; ++every) {
    std::vector<Tick> ticks;
    for (int exponent = lowest; exponent <= highest; exponent += every)
      ticks.push_back(log_tick(1, exponent, plain));
    if (!labels_fit(ticks)) continue;
    if (every > 1) return ticks;
    return mantissa_ticks({1});
  }
}

// Returns ticks at 1 to 9 times every power of ten. Only the ticks whose multiple (1 to 9) is in
// `labelled` have a label.
std::vector<Tick> Axis::mantissa_ticks(const std::vector<int>& labelled) const {
  const int lowest = static_cast<int>(std::floor(ends_.lo));
  const int highest = static_cast<int>(std::floor(ends_.hi));
  const bool plain = labelled.size() == 1
                         ? fits_without_exponent(static_cast<int>(std::ceil(ends_.lo)), highest)
                         : fits_without_exponent(lowest, highest);
  std::vector<Tick> ticks;
  for (int exponent = lowest; exponent <= highest; ++exponent) {
    for (int mantissa = 1; mantissa <= 9; ++mantissa) {
      Tick tick = log_tick(mantissa, exponent, plain);
      const double place = std::log10(tick.value);
      if (place < ends_.lo || place > ends_.hi) continue;
      const bool major = std::count(labelled.begin(), labelled.end(), mantissa) > 0;
      ticks.push_back(major ? tick : Tick{tick.value, "", ""});
    }
  }
  return ticks;
}

}  // namespace otss::internal::figures
