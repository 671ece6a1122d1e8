// Draws the figures of a study as SVG: curves with bands, and dot plots with one row per method.
// The SVG text depends only on the figure, not on the machine.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace otss::internal {

// A series is a curve. It has a gap at a value that an axis cannot show (not finite, or not
// positive on a logarithmic axis). A series looks the same in every panel, because its name decides
// how it looks:
// - a series whose name contains "OTSS" is highlighted;
// - a dashed series whose name begins with the name of a solid series ("OTSS, slope −1.0") has the
//   colour of that solid series;
// - any other dashed series is grey.
struct Series {
  std::string name;
  std::vector<double> x, y;
  // The lower and upper ends of an interval at each point. Both are empty if there are no
  // intervals. Intervals are drawn as a band around a line, or as bars around points.
  std::vector<double> lo, hi;
  bool line = true;
  bool points = true;
  bool dashed = false;
};

struct CurvePanel {
  std::string title, x_label, y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
};

struct Row {
  std::string name;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double lo = std::numeric_limits<double>::quiet_NaN();
  double hi = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> points;  // one per seed, drawn faintly
  bool highlight = false;
  double reference = std::numeric_limits<double>::quiet_NaN();  // the paper's value; NaN if none
};

// Consecutive row panels with the same row names are placed side by side; only the first panel
// shows the names.
struct RowPanel {
  std::string title, x_label;
  bool log_x = false;
  bool zero_line = false;
  std::vector<Row> rows;
};

struct Figure {
  std::string title, caption;
  std::vector<std::variant<CurvePanel, RowPanel>> panels;
};

std::string render_svg(const Figure& figure);

}  // namespace otss::internal
