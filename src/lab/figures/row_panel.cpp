#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/figures/legend.hpp"
#include "lab/figures/panel.hpp"

namespace otss::internal::figures {
namespace {

constexpr double kRowHeight = 27;
constexpr double kNameSize = 12.5;
constexpr double kSpread = 6;  // largest vertical distance of a seed's point from the row's middle

Extent extent_of(const RowPanel& panel) {
  Extent extent(panel.log_x ? Scale::kLog : Scale::kLinear);
  for (const Row& row : panel.rows) {
    for (const double value : {row.mean, row.lo, row.hi, row.reference}) extent.include(value);
    for (const double value : row.points) extent.include(value);
  }
  if (panel.zero_line) extent.include(0);
  extent.start_at_zero_if_near();
  return extent;
}

void draw_interval(Svg& svg, Point from, Point to, std::string_view color) {
  svg.line(from, to,
           fmt::format(R"(stroke="{}" stroke-width="2.2" stroke-linecap="round")", color));
}

void draw_mean(Svg& svg, Point at, std::string_view color) {
  svg.circle(at, 3.5, fmt::format(R"(fill="{}" stroke="#FFFFFF" stroke-width="0.8")", color));
}

void draw_seed(Svg& svg, Point at, std::string_view color) {
  svg.circle(at, 1.8, fmt::format(R"(fill="{}" fill-opacity="0.24")", color));
}

void draw_reference(Svg& svg, Point at) {
  draw_marker(svg, Marker::kDiamond, at, 4.8, R"(fill="none" stroke="#111111" stroke-width="1.2")");
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

class RowDrawing : public Panel {
 public:
  RowDrawing(const RowPanel& panel, bool with_names)
      : panel_(panel), with_names_(with_names), extent_(extent_of(panel)) {}

  const std::string& title() const override { return panel_.title; }
  const std::string& x_label() const override { return panel_.x_label; }
  double plot_height() const override {
    return kRowHeight * static_cast<double>(std::max<std::size_t>(panel_.rows.size(), 1));
  }
  double room_left() const override;
  double room_right() const override { return 0; }
  void draw(Svg& svg, const Frame& frame) const override;

 private:
  void draw_background(Svg& svg, const Row& row, double middle, const Frame& frame) const;
  void draw_row(Svg& svg, const Row& row, double middle, const Axis& axis) const;

  const RowPanel& panel_;
  bool with_names_;
  Extent extent_;
};

double RowDrawing::room_left() const {
  if (!with_names_) return 0;
  double widest = 0;
  for (const Row& row : panel_.rows)
    widest = std::max(widest, text_width(row.name, kNameSize, row.highlight));
  return widest + 14;
}

void RowDrawing::draw(Svg& svg, const Frame& frame) const {
  const Axis axis(extent_, Direction::kAcross, frame.left, frame.right());
  const auto middle = [&](std::size_t i) {
    return frame.top + kRowHeight * (static_cast<double>(i) + 0.5);
  };
  for (std::size_t i = 0; i < panel_.rows.size(); ++i)
    draw_background(svg, panel_.rows[i], middle(i), frame);
  draw_x_axis(svg, axis, frame, panel_.x_label);
  if (panel_.zero_line && extent_.shows(0))
    svg.line({axis.at(0), frame.top}, {axis.at(0), frame.bottom()},
             R"(stroke="#333333" stroke-width="1" stroke-dasharray="4 3")");
  for (std::size_t i = 0; i < panel_.rows.size(); ++i)
    draw_row(svg, panel_.rows[i], middle(i), axis);
}

void RowDrawing::draw_background(Svg& svg, const Row& row, double middle,
                                 const Frame& frame) const {
  if (row.highlight) {
    const double left = frame.left - room_left();
    svg.rect({left, middle - kRowHeight / 2}, frame.right() - left, kRowHeight,
             R"(fill="#FCEFE4")");
  } else {
    svg.line({frame.left, middle}, {frame.right(), middle}, kFaintGridLine);
  }
  if (with_names_)
    svg.text({frame.left - 8, middle + 4.3}, row.name,
             {kNameSize, row.highlight ? kHighlightText : kInk, Anchor::kEnd, row.highlight});
}

void RowDrawing::draw_row(Svg& svg, const Row& row, double middle, const Axis& axis) const {
  const std::string_view color = row.highlight ? kHighlight : std::string_view("#4A5560");
  svg.open_group({}, describe_row(row));
  for (std::size_t i = 0; i < row.points.size(); ++i) {
    if (!extent_.shows(row.points[i])) continue;
    // The points of a row are moved up or down, so that they overlap less. The fractional parts of
    // multiples of the golden ratio are spread evenly over [0, 1] for any number of points.
    const double share = std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
    draw_seed(svg, {axis.at(row.points[i]), middle + kSpread * (2 * share - 1)}, color);
  }
  // On a logarithmic axis, the lower end of the interval may be 0 or negative; the drawn interval
  // then ends at the edge of the plot.
  if (!std::isnan(row.lo) && !std::isnan(row.hi) && extent_.shows(row.hi))
    draw_interval(svg, {axis.at(row.lo), middle}, {axis.at(row.hi), middle}, color);
  if (extent_.shows(row.mean)) draw_mean(svg, {axis.at(row.mean), middle}, color);
  if (extent_.shows(row.reference)) draw_reference(svg, {axis.at(row.reference), middle});
  svg.close_group();
}

}  // namespace

std::string describe_row(const Row& row) {
  std::string text = row.name;
  if (std::isfinite(row.mean)) text += ": " + short_number(row.mean);
  if (std::isfinite(row.lo) && std::isfinite(row.hi))
    text += fmt::format(" [{}, {}]", short_number(row.lo), short_number(row.hi));
  if (std::isfinite(row.reference)) text += "; paper " + short_number(row.reference);
  return text;
}

std::unique_ptr<Panel> make_row_panel(const RowPanel& panel, bool with_names) {
  return std::make_unique<RowDrawing>(panel, with_names);
}

std::vector<LegendEntry> row_legend(const Figure& figure) {
  bool means = false;
  bool intervals = false;
  bool seeds = false;
  bool references = false;
  for (const auto& panel : figure.panels) {
    const auto* rows = std::get_if<RowPanel>(&panel);
    if (!rows) continue;
    for (const Row& row : rows->rows) {
      means |= std::isfinite(row.mean);
      intervals |= std::isfinite(row.lo) && std::isfinite(row.hi);
      seeds |= !row.points.empty();
      references |= std::isfinite(row.reference);
    }
  }
  const auto draw_mean_sample = [intervals](Svg& svg, Point middle) {
    if (intervals) draw_interval(svg, {middle.x - 12, middle.y}, {middle.x + 12, middle.y}, kInk);
    draw_mean(svg, middle, kInk);
  };
  std::vector<LegendEntry> legend;
  if (means) legend.push_back({intervals ? "mean and interval" : "mean", draw_mean_sample});
  if (seeds) legend.push_back({"one seed", [](Svg& svg, Point p) { draw_seed(svg, p, kInk); }});
  if (references) legend.push_back({"paper", draw_reference});
  return legend;
}

}  // namespace otss::internal::figures
