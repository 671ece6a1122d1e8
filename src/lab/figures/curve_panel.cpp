#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/figures/panel.hpp"

namespace otss::internal::figures {
namespace {

constexpr double kPlotHeight = 215;
constexpr double kMarkerRadius = 3.2;
constexpr double kLabelGap = 14.5;   // least vertical distance between two labels
constexpr double kLargestNudge = 9;  // largest vertical distance of a label from its curve's end
constexpr double kLabelOffset = 6;   // horizontal distance of a label from the plot

Scale scale_of(bool log) { return log ? Scale::kLog : Scale::kLinear; }

std::size_t num_points(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool has_interval(const Series& series) {
  return series.lo.size() == series.y.size() && series.hi.size() == series.y.size();
}

struct Extents {
  Extent x, y;

  bool show(const Series& series, std::size_t i) const {
    return x.shows(series.x[i]) && y.shows(series.y[i]);
  }
};

Extents extents_of(const CurvePanel& panel) {
  Extents extents{Extent(scale_of(panel.log_x)), Extent(scale_of(panel.log_y))};
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < num_points(series); ++i) {
      if (!extents.show(series, i)) continue;
      extents.x.include(series.x[i]);
      extents.y.include(series.y[i]);
      if (!has_interval(series)) continue;
      extents.y.include(series.lo[i]);
      extents.y.include(series.hi[i]);
    }
  }
  extents.y.start_at_zero_if_near();
  return extents;
}

struct EndLabel {
  std::string name;
  const Look* look;
  double x, y;  // x is from 0 to 1 along the axis; y is the distance from the plot's top
};

// Moves labels up or down so that neighbours are at least kLabelGap apart. The labels must be
// sorted by y. Labels that would overlap form a block; within a block, neighbours are exactly
// kLabelGap apart. The sum of the squared moves is as small as possible.
void spread(std::vector<EndLabel>& labels) {
  struct Block {
    std::size_t first, size;
    // The sum of y_i - i * kLabelGap over the labels i of the block. Label i does not move if the
    // first label of the block is at y_i - i * kLabelGap, so the mean of these positions minimises
    // the squared moves.
    double sum;
    double top() const { return sum / static_cast<double>(size); }
    double end() const { return top() + kLabelGap * static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    blocks.push_back({i, 1, labels[i].y});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].end() > blocks.back().top()) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& block = blocks.back();
      block.sum += last.sum - kLabelGap * static_cast<double>(block.size * last.size);
      block.size += last.size;
    }
  }
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.size; ++i)
      labels[block.first + i].y = block.top() + kLabelGap * static_cast<double>(i);
}

// Returns the label of every curve at the position of the curve's end, from the top to the bottom.
// The labels may overlap until spread() moves them.
std::vector<EndLabel> curve_ends(const CurvePanel& panel, const Looks& looks) {
  const Extents extents = extents_of(panel);
  const Axis x_axis(extents.x, Direction::kAcross, 0, 1);
  const Axis y_axis(extents.y, Direction::kUp, kPlotHeight, 0);
  std::vector<EndLabel> labels;
  for (const Series& series : panel.series) {
    if (looks.is_twin(series)) continue;
    for (std::size_t i = num_points(series); i-- > 0;) {
      if (!extents.show(series, i)) continue;
      labels.push_back(
          {series.name, &looks.of(series), x_axis.at(series.x[i]), y_axis.at(series.y[i])});
      break;
    }
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
  return labels;
}

double widest(const std::vector<EndLabel>& labels) {
  double width = 0;
  for (const EndLabel& label : labels)
    width = std::max(width, text_width(label.name, kTickTextSize, label.look->highlight));
  return width;
}

class CurveDrawing : public Panel {
 public:
  CurveDrawing(const CurvePanel& panel, const Looks& looks, bool direct_labels)
      : panel_(panel), looks_(looks), extents_(extents_of(panel)) {
    if (direct_labels) labels_ = curve_ends(panel, looks);
    spread(labels_);
    // Highlighted series are drawn last, so that they lie on top of the other series.
    for (const bool highlight : {false, true})
      for (const Series& series : panel.series)
        if (looks.of(series).highlight == highlight) series_.push_back(&series);
  }

  const std::string& title() const override { return panel_.title; }
  const std::string& x_label() const override { return panel_.x_label; }
  double plot_height() const override { return kPlotHeight; }
  double room_left() const override { return tick_room() + lines_height(y_label(), kLabelSize); }
  double room_right() const override {
    return labels_.empty() ? 0 : kLabelOffset + widest(labels_);
  }
  void draw(Svg& svg, const Frame& frame) const override;

 private:
  struct Axes {
    Axis x, y;
    Point at(double x_value, double y_value) const { return {x.at(x_value), y.at(y_value)}; }
  };

  std::vector<std::string> y_label() const {
    return wrap_text(panel_.y_label, kPlotHeight, kLabelSize);
  }
  double tick_room() const;
  void draw_y_axis(Svg& svg, const Axis& axis, const Frame& frame) const;
  void draw_band(Svg& svg, const Series& series, const Axes& axes) const;
  void draw_bars(Svg& svg, const Series& series, const Axes& axes) const;
  void draw_series(Svg& svg, const Series& series, const Axes& axes) const;
  void draw_labels(Svg& svg, const Frame& frame) const;
  std::vector<std::vector<std::size_t>> unbroken_runs(const Series& series, bool interval) const;

  const CurvePanel& panel_;
  const Looks& looks_;
  Extents extents_;
  std::vector<EndLabel> labels_;
  std::vector<const Series*> series_;
};

double CurveDrawing::tick_room() const {
  double widest_tick = 0;
  for (const Tick& tick : Axis(extents_.y, Direction::kUp, kPlotHeight, 0).ticks())
    widest_tick = std::max(widest_tick, tick.label_width());
  return widest_tick + 12;
}

void CurveDrawing::draw(Svg& svg, const Frame& frame) const {
  const Axes axes{Axis(extents_.x, Direction::kAcross, frame.left, frame.right()),
                  Axis(extents_.y, Direction::kUp, frame.bottom(), frame.top)};
  draw_y_axis(svg, axes.y, frame);
  draw_x_axis(svg, axes.x, frame, panel_.x_label);
  for (const Series* series : series_)
    if (series->line && has_interval(*series)) draw_band(svg, *series, axes);
  for (const Series* series : series_) draw_series(svg, *series, axes);
  draw_labels(svg, frame);
}

void CurveDrawing::draw_y_axis(Svg& svg, const Axis& axis, const Frame& frame) const {
  for (const Tick& tick : axis.ticks()) {
    const double y = axis.at(tick.value);
    const bool minor = tick.label.empty();
    svg.line({frame.left, y}, {frame.right(), y}, minor ? kFaintGridLine : kGridLine);
    svg.line({frame.left - (minor ? 2.5 : 4.5), y}, {frame.left, y}, kAxisLine);
    if (!minor)
      svg.text({frame.left - 8, y + 4}, tick.label, {kTickTextSize, kInk, Anchor::kEnd},
               tick.exponent);
  }
  svg.line({frame.left, frame.top}, {frame.left, frame.bottom()}, kAxisLine);
  const std::vector<std::string> lines = y_label();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double back = static_cast<double>(lines.size() - 1 - i) * kLineHeight * kLabelSize;
    svg.text({frame.left - tick_room() - 3 - back, frame.top + frame.height / 2}, lines[i],
             {kLabelSize, kInk, Anchor::kMiddle}, {}, -90);
  }
}

// Divides the points that can be shown into runs without a gap. A run has the indices of
// consecutive points. If `interval` is true, a point without an interval makes a gap too.
std::vector<std::vector<std::size_t>> CurveDrawing::unbroken_runs(const Series& series,
                                                                  bool interval) const {
  std::vector<std::vector<std::size_t>> runs(1);
  for (std::size_t i = 0; i < num_points(series); ++i) {
    const bool shown = extents_.show(series, i) &&
                       (!interval || (!std::isnan(series.lo[i]) && !std::isnan(series.hi[i])));
    if (shown)
      runs.back().push_back(i);
    else if (!runs.back().empty())
      runs.emplace_back();
  }
  return runs;
}

void CurveDrawing::draw_band(Svg& svg, const Series& series, const Axes& axes) const {
  for (const std::vector<std::size_t>& run : unbroken_runs(series, true)) {
    if (run.size() < 2) continue;
    std::vector<Point> outline;
    outline.reserve(2 * run.size());
    for (const std::size_t i : run) outline.push_back(axes.at(series.x[i], series.hi[i]));
    std::for_each(run.rbegin(), run.rend(),
                  [&](std::size_t i) { outline.push_back(axes.at(series.x[i], series.lo[i])); });
    svg.polygon(outline, fmt::format(R"(fill="{}" fill-opacity="0.14")", looks_.of(series).color));
  }
}

void CurveDrawing::draw_bars(Svg& svg, const Series& series, const Axes& axes) const {
  const std::string style =
      fmt::format(R"(stroke="{}" stroke-width="1.4")", looks_.of(series).color);
  for (const std::vector<std::size_t>& run : unbroken_runs(series, true))
    for (const std::size_t i : run)
      svg.line(axes.at(series.x[i], series.lo[i]), axes.at(series.x[i], series.hi[i]), style);
}

void CurveDrawing::draw_series(Svg& svg, const Series& series, const Axes& axes) const {
  const Look& look = looks_.of(series);
  const std::string marker_style =
      fmt::format(R"(fill="{}" stroke="#FFFFFF" stroke-width="0.8")", look.color);
  svg.open_group({}, series.name);
  if (!series.line && has_interval(series)) draw_bars(svg, series, axes);
  for (const std::vector<std::size_t>& run : unbroken_runs(series, false)) {
    std::vector<Point> points;
    points.reserve(run.size());
    for (const std::size_t i : run) points.push_back(axes.at(series.x[i], series.y[i]));
    if (series.line && points.size() > 1) svg.polyline(points, look.line_style());
    // An isolated point has no line, so it is drawn as a point.
    if (series.points || points.size() == 1)
      for (const Point& point : points)
        draw_marker(svg, look.marker, point, kMarkerRadius + (look.highlight ? 0.6 : 0),
                    marker_style);
  }
  svg.close_group();
}

void CurveDrawing::draw_labels(Svg& svg, const Frame& frame) const {
  for (const EndLabel& label : labels_)
    svg.text({frame.right() + kLabelOffset, frame.top + label.y + 4}, label.name,
             {kTickTextSize, label.look->text_color, Anchor::kStart, label.look->highlight});
}

}  // namespace

std::unique_ptr<Panel> make_curve_panel(const CurvePanel& panel, const Looks& looks,
                                        bool direct_labels) {
  return std::make_unique<CurveDrawing>(panel, looks, direct_labels);
}

bool direct_labels_fit(const CurvePanel& panel, const Looks& looks, double width) {
  const std::vector<EndLabel> wanted = curve_ends(panel, looks);
  if (wanted.empty() || widest(wanted) + kLabelOffset > width) return false;
  std::vector<EndLabel> placed = wanted;
  spread(placed);
  const double last_x =
      std::max_element(wanted.begin(), wanted.end(), [](const EndLabel& a, const EndLabel& b) {
        return a.x < b.x;
      })->x;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool near = std::abs(placed[i].y - wanted[i].y) <= kLargestNudge;
    const bool ends_with_the_others = wanted[i].x > last_x - 0.01;
    if (!near || !ends_with_the_others || placed[i].y > kPlotHeight) return false;
  }
  return true;
}

}  // namespace otss::internal::figures
