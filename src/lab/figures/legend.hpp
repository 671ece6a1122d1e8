// Draws the legend of a figure above its panels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/figures/figure.hpp"
#include "lab/figures/style.hpp"
#include "lab/figures/svg.hpp"

namespace otss::internal::figures {

struct LegendEntry {
  std::string name;
  std::function<void(Svg& svg, Point middle)> draw_sample;

  double width() const;
};

std::vector<LegendEntry> row_legend(const Figure& figure);
std::vector<LegendEntry> curve_legend(const Figure& figure, const Looks& looks);

// Draws the entries in one line, or in several lines of columns if `width` is too small. An entry
// is never truncated. Returns the height used.
double draw_legend(Svg& svg, const std::vector<LegendEntry>& legend, Point corner, double width);

}  // namespace otss::internal::figures
