// From values to places on the page, with ticks that a person would choose.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace otss::figures {

inline constexpr double kTickTextSize = 11.5;

enum class Scale { kLinear, kLog };
enum class Direction { kAcross, kUp };

// The values an axis has to show. Those it cannot show are not counted.
class Extent {
 public:
  explicit Extent(Scale scale) : scale_(scale) {}

  Scale scale() const { return scale_; }
  bool shows(double value) const;
  void include(double value);

  // Where zero is near enough to cost little room, sizes are easier to compare from zero.
  void start_at_zero_if_near();

  // The ends of the axis, as logarithms on a log scale: never equal, some air around the values.
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
  std::string label;     // empty: a minor tick
  std::string exponent;  // raised behind the label

  double label_width() const;
};

class Axis {
 public:
  // The lowest value stands at `from`, the highest at `to`.
  Axis(const Extent& extent, Direction direction, double from, double to);

  double at(double value) const;    // a value beyond the ends stands at the end
  std::vector<Tick> ticks() const;  // labels do not touch each other

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

}  // namespace otss::figures
