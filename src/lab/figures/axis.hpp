// Maps values to positions on the page, and chooses ticks at round numbers.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace otss::internal::figures {

inline constexpr double kTickTextSize = 11.5;

enum class Scale { kLinear, kLog };
enum class Direction { kAcross, kUp };

// The range of values that an axis shows. Values that the axis cannot show (see shows()) are
// ignored.
class Extent {
 public:
  explicit Extent(Scale scale) : scale_(scale) {}

  Scale scale() const { return scale_; }
  bool shows(double value) const;
  void include(double value);

  // Extends a linear axis to zero if this extension at most doubles the length of the axis.
  // Distances from zero can then be compared.
  void start_at_zero_if_near();

  // The two ends of the axis, with lo < hi. There is padding between the ends and the values. On a
  // logarithmic scale, an end is the log10 of a value.
  struct Ends {
    double lo = 0;
    double hi = 1;
  };
  Ends ends() const;

 private:
  Scale scale_;
  double lo_ = std::numeric_limits<double>::infinity();
  double hi_ = -std::numeric_limits<double>::infinity();
  bool rests_on_zero_ = false;
};

struct Tick {
  double value = 0;
  std::string label;     // empty for a minor tick
  std::string exponent;  // printed as a superscript after the label

  double label_width() const;
};

class Axis {
 public:
  // The axis begins at position `from`, with its lowest value, and ends at position `to`.
  Axis(const Extent& extent, Direction direction, double from, double to);

  double at(double value) const;    // position of a value; never beyond an end of the axis
  std::vector<Tick> ticks() const;  // ticks whose labels do not overlap

 private:
  double coordinate(double value) const;
  bool labels_fit(const std::vector<Tick>& ticks) const;
  std::vector<Tick> linear_ticks() const;
  std::vector<Tick> log_ticks() const;
  std::vector<Tick> decade_ticks() const;
  std::vector<Tick> mantissa_ticks(const std::vector<int>& labelled) const;

  Scale scale_;
  Direction direction_;
  Extent::Ends ends_;
  double from_, to_;
};

}  // namespace otss::internal::figures
