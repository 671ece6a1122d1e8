// A panel knows how much room it wants around its plot, and draws itself when told where that is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lab/figures/axis.hpp"
#include "lab/figures/figure.hpp"
#include "lab/figures/style.hpp"
#include "lab/figures/svg.hpp"

namespace otss::figures {

inline constexpr double kLabelSize = 12.5;
inline constexpr double kLineHeight = 1.25;  // of the text size

// Where the plot itself stands: axes are its edges, labels lie outside.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

class Panel {
 public:
  virtual ~Panel() = default;
  virtual const std::string& title() const = 0;
  virtual const std::string& x_label() const = 0;
  virtual double plot_height() const = 0;
  virtual double room_left() const = 0;
  virtual double room_right() const = 0;
  virtual void draw(Svg& svg, const Frame& frame) const = 0;
};

// Both keep a reference to what they draw.
std::unique_ptr<Panel> make_curve_panel(const CurvePanel& panel, const Looks& looks,
                                        bool direct_labels);
std::unique_ptr<Panel> make_row_panel(const RowPanel& panel, bool with_names);

// Whether the name of every curve finds a place beside its end, in `width` units of labels at most.
bool direct_labels_fit(const CurvePanel& panel, const Looks& looks, double width);

// "OTSS: 0.028 [0.024, 0.032]; paper 0.014", as far as the numbers are known.
std::string describe_row(const Row& row);

// One text line below the other, the first with its baseline at `at`.
void draw_lines(Svg& svg, Point at, const std::vector<std::string>& lines, const TextStyle& style);
double lines_height(const std::vector<std::string>& lines, double size);

// Grid, ticks, labels and name of the axis below the plot.
void draw_x_axis(Svg& svg, const Axis& axis, const Frame& frame, std::string_view label);
double x_axis_height(std::string_view label, double width);

}  // namespace otss::figures
