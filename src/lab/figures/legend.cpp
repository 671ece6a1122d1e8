#include "lab/figures/legend.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace otss::internal::figures {
namespace {

constexpr double kSampleWidth = 28;
constexpr double kEntryGap = 18;
constexpr double kLine = 20;
constexpr double kTextSize = 12;

struct CurveEntry {
  std::string name;
  const Look* look;
  bool line, points;
  std::string points_of = {};  // if the line was fitted to points, the name of their series

  void draw_sample(Svg& svg, Point middle) const {
    if (line) svg.line({middle.x - 13, middle.y}, {middle.x + 13, middle.y}, look->line_style());
    if (points)
      draw_marker(svg, look->marker, middle, 3.6, fmt::format(R"(fill="{}")", look->color));
  }
};

void add_entry(std::vector<CurveEntry>& entries, const Series& series, const Looks& looks) {
  const auto entry_of = [&](std::string_view name) {
    return std::find_if(entries.begin(), entries.end(), [&](const CurveEntry& entry) {
      return entry.name == name || (!name.empty() && entry.points_of == name);
    });
  };
  if (looks.is_twin(series) || entry_of(series.name) != entries.end()) return;
  const CurveEntry entry{series.name, &looks.of(series), series.line, series.points};
  // Points and the line fitted to them share one entry of the legend.
  const std::string_view partner = looks.partner(series);
  const auto fitted = partner.empty() ? entries.end() : entry_of(partner);
  if (fitted != entries.end() && !fitted->line)
    *fitted = {entry.name, entry.look, entry.line, true, fitted->name};
  else
    entries.push_back(entry);
}

}  // namespace

double LegendEntry::width() const { return kSampleWidth + 6 + text_width(name, kTextSize); }

std::vector<LegendEntry> curve_legend(const Figure& figure, const Looks& looks) {
  std::vector<CurveEntry> entries;
  for (const auto& panel : figure.panels)
    if (const auto* curves = std::get_if<CurvePanel>(&panel))
      for (const Series& series : curves->series) add_entry(entries, series, looks);
  std::vector<LegendEntry> legend;
  legend.reserve(entries.size());
  for (const CurveEntry& entry : entries)
    legend.push_back(
        {entry.name, [entry](Svg& svg, Point middle) { entry.draw_sample(svg, middle); }});
  return legend;
}

double draw_legend(Svg& svg, const std::vector<LegendEntry>& legend, Point corner, double width) {
  if (legend.empty()) return 0;
  double total = -kEntryGap;
  double widest = 0;
  for (const LegendEntry& entry : legend) {
    total += entry.width() + kEntryGap;
    widest = std::max(widest, entry.width());
  }
  const bool one_line = total <= width;
  Point at = corner;
  for (const LegendEntry& entry : legend) {
    if (!one_line && at.x > corner.x && at.x + widest > corner.x + width)
      at = {corner.x, at.y + kLine};
    entry.draw_sample(svg, {at.x + kSampleWidth / 2, at.y + kLine / 2});
    svg.text({at.x + kSampleWidth + 6, at.y + kLine / 2 + 4}, entry.name, {kTextSize, kInk});
    at.x += (one_line ? entry.width() : widest) + kEntryGap;
  }
  return at.y + kLine - corner.y;
}

}  // namespace otss::internal::figures
