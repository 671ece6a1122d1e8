#include "lab/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lab/figures/legend.hpp"
#include "lab/figures/panel.hpp"
#include "lab/figures/style.hpp"
#include "lab/figures/svg.hpp"

namespace otss::internal {
namespace figures {
namespace {

constexpr double kMargin = 26;
constexpr double kGap = 30;  // distance between neighbouring panels
constexpr double kWidth = 900;
constexpr double kNarrowWidth = 640;  // width of a figure with one panel per line
constexpr double kNarrowestPlot = 150;
constexpr double kTitleSize = 16;
constexpr double kPanelTitleSize = 13;
constexpr double kCaptionSize = 11.5;
constexpr double kLabelShare = 0.22;  // largest part of a panel's width for labels beside curves

using AnyPanel = std::variant<CurvePanel, RowPanel>;
using PanelLine = std::vector<std::unique_ptr<Panel>>;

// Panels [first, last) of a figure, which are drawn side by side on one line.
struct LineRange {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};

// Divides the panels into lines. Consecutive panels of the same kind share a line of at most three
// panels; four such panels become two lines of two.
std::vector<LineRange> split_into_lines(const std::vector<AnyPanel>& panels) {
  std::vector<LineRange> lines;
  for (std::size_t first = 0; first < panels.size();) {
    std::size_t end = first;
    while (end < panels.size() && panels[end].index() == panels[first].index()) ++end;
    const std::size_t most = end - first == 4 ? 2 : 3;
    for (; first < end; first = lines.back().last)
      lines.push_back({first, std::min(first + most, end)});
  }
  return lines;
}

bool same_names(const AnyPanel& left, const AnyPanel& right) {
  const auto* a = std::get_if<RowPanel>(&left);
  const auto* b = std::get_if<RowPanel>(&right);
  return a && b &&
         std::equal(a->rows.begin(), a->rows.end(), b->rows.begin(), b->rows.end(),
                    [](const Row& p, const Row& q) { return p.name == q.name; });
}

double usual_width(const std::vector<LineRange>& lines) {
  const bool wide = std::any_of(lines.begin(), lines.end(),
                                [](const LineRange& line) { return line.size() > 1; });
  return wide ? kWidth : kNarrowWidth;
}

// Returns true if the curves have their names beside their ends, and false if their names are in
// the legend. All curves of a figure are treated in the same way.
bool labels_beside_curves(const Figure& figure, const std::vector<LineRange>& lines,
                          const Looks& looks) {
  for (const LineRange& line : lines) {
    const double cell = (usual_width(lines) - 2 * kMargin) / static_cast<double>(line.size());
    for (std::size_t i = line.first; i < line.last; ++i)
      if (const auto* curves = std::get_if<CurvePanel>(&figure.panels[i]))
        if (!direct_labels_fit(*curves, looks, kLabelShare * cell)) return false;
  }
  return true;
}

PanelLine make_line(const Figure& figure, const LineRange& range, const Looks& looks,
                    bool direct_labels) {
  PanelLine line;
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (const auto* curves = std::get_if<CurvePanel>(&figure.panels[i])) {
      line.push_back(make_curve_panel(*curves, looks, direct_labels));
    } else {
      const bool names = i == range.first || !same_names(figure.panels[i - 1], figure.panels[i]);
      line.push_back(make_row_panel(std::get<RowPanel>(figure.panels[i]), names));
    }
  }
  return line;
}

// Returns the width of the margins, gaps and labels around the plots of one line of panels.
double width_around_plots(const PanelLine& line) {
  double width = 2 * kMargin + kGap * static_cast<double>(line.size() - 1);
  for (const auto& panel : line) width += panel->room_left() + panel->room_right();
  return width;
}

// Returns the usual width, or a larger width if long names need it, because no text is truncated.
double needed_width(double usual, const std::vector<PanelLine>& lines,
                    const std::vector<LegendEntry>& legend) {
  double width = usual;
  for (const PanelLine& line : lines)
    width = std::max(width,
                     width_around_plots(line) + kNarrowestPlot * static_cast<double>(line.size()));
  for (const LegendEntry& entry : legend) width = std::max(width, entry.width() + 2 * kMargin);
  return width;
}

// Draws the text and returns its height. The text may be empty.
double draw_paragraph(Svg& svg, std::string_view text, double top, double width,
                      const TextStyle& style) {
  const auto lines = wrap_text(text, width - 2 * kMargin, style.size, style.bold);
  draw_lines(svg, {kMargin, top + style.size}, lines, style);
  return lines_height(lines, style.size);
}

// Draws one line of panels. The plots of one line start at the same height, even if their titles
// have different lengths.
double draw_line(Svg& svg, const PanelLine& line, double top, double width) {
  const double plot_width = (width - width_around_plots(line)) / static_cast<double>(line.size());
  double title_height = 0;
  double plot_height = 0;
  double axis_height = 0;
  std::vector<std::vector<std::string>> titles;
  for (const auto& panel : line) {
    titles.push_back(wrap_text(panel->title(), plot_width, kPanelTitleSize, true));
    title_height = std::max(title_height, lines_height(titles.back(), kPanelTitleSize));
    plot_height = std::max(plot_height, panel->plot_height());
    axis_height = std::max(axis_height, x_axis_height(panel->x_label(), plot_width));
  }
  const double plot_top = top + title_height + 9;
  double left = kMargin;
  for (std::size_t i = 0; i < line.size(); ++i) {
    left += line[i]->room_left();
    const double title_top = plot_top - 9 - lines_height(titles[i], kPanelTitleSize);
    svg.open_group();
    draw_lines(svg, {left, title_top + kPanelTitleSize}, titles[i],
               {kPanelTitleSize, kInk, Anchor::kStart, true});
    line[i]->draw(svg, {left, plot_top, plot_width, line[i]->plot_height()});
    svg.close_group();
    left += plot_width + line[i]->room_right() + kGap;
  }
  return plot_top + plot_height + axis_height - top;
}

// Returns the figure's content as text, for screen readers.
std::string describe(const Figure& figure) {
  std::string text = figure.caption;
  for (const AnyPanel& panel : figure.panels) {
    if (!text.empty()) text += ' ';
    if (const auto* curves = std::get_if<CurvePanel>(&panel)) {
      text += fmt::format("Curves “{}”, {} against {}:", curves->title, curves->y_label,
                          curves->x_label);
      for (const Series& series : curves->series) text += ' ' + series.name + ';';
    } else {
      const auto& rows = std::get<RowPanel>(panel);
      text += fmt::format("Dot plot “{}” of {}:", rows.title, rows.x_label);
      for (const Row& row : rows.rows) text += ' ' + describe_row(row) + ';';
    }
    text.back() = '.';
  }
  return text;
}

}  // namespace
}  // namespace figures

std::string render_svg(const Figure& figure) {
  using namespace figures;
  const Looks looks(figure);
  const std::vector<LineRange> ranges = split_into_lines(figure.panels);
  const bool direct_labels = labels_beside_curves(figure, ranges, looks);
  std::vector<PanelLine> lines;
  for (const LineRange& range : ranges)
    lines.push_back(make_line(figure, range, looks, direct_labels));
  std::vector<LegendEntry> legend;
  if (!direct_labels) legend = curve_legend(figure, looks);
  for (LegendEntry& entry : row_legend(figure)) legend.push_back(std::move(entry));

  const double width = needed_width(usual_width(ranges), lines, legend);
  Svg svg;
  double top = 20;
  top +=
      draw_paragraph(svg, figure.title, top, width, {kTitleSize, "#111111", Anchor::kStart, true});
  top += 8;
  top += draw_legend(svg, legend, {kMargin, top}, width - 2 * kMargin);
  for (const PanelLine& line : lines) top += 14 + draw_line(svg, line, top + 14, width);
  top += 14;
  top += draw_paragraph(svg, figure.caption, top, width, {kCaptionSize, kFaintInk});
  return svg.document(width, top + 16, figure.title, describe(figure));
}

}  // namespace otss::internal
