// Declares panels. A panel reports the space it needs around its plot, and draws itself in a given
// frame.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lab/figures/axis.hpp"
#include "lab/figures/figure.hpp"
#include "lab/figures/style.hpp"
#include "lab/figures/svg.hpp"

namespace otss::internal::figures {

inline constexpr double kLabelSize = 12.5;
// The distance between two lines of text, as a multiple of the text size.
inline constexpr double kLineHeight = 1.25;

// The rectangle of the plot. Its edges are the axes; the labels are outside.
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

// Each function makes a panel that can be drawn. The result refers to the arguments, so the
// arguments must live longer than the result.
std::unique_ptr<Panel> make_curve_panel(const CurvePanel& panel, const Looks& looks,
                                        bool direct_labels);
std::unique_ptr<Panel> make_row_panel(const RowPanel& panel, bool with_names);

// True if the name of every curve fits beside the curve's end and is at most `width` units wide.
bool direct_labels_fit(const CurvePanel& panel, const Looks& looks, double width);

// Returns a text such as "OTSS: 0.028 [0.024, 0.032]; paper 0.014". Numbers that are not known are
// left out.
std::string describe_row(const Row& row);

// Draws lines of text below each other. `at` is the position of the first line, as in Svg::text().
void draw_lines(Svg& svg, Point at, const std::vector<std::string>& lines, const TextStyle& style);
double lines_height(const std::vector<std::string>& lines, double size);

// Draws the axis below the plot: its grid, ticks, labels and name.
void draw_x_axis(Svg& svg, const Axis& axis, const Frame& frame, std::string_view label);
double x_axis_height(std::string_view label, double width);

}  // namespace otss::internal::figures
