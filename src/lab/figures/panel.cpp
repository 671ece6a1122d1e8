#include "lab/figures/panel.hpp"

namespace otss::internal::figures {
namespace {

constexpr double kTickLabelsHeight = 20;

}  // namespace

void draw_lines(Svg& svg, Point at, const std::vector<std::string>& lines, const TextStyle& style) {
  for (const std::string& line : lines) {
    svg.text(at, line, style);
    at.y += kLineHeight * style.size;
  }
}

double lines_height(const std::vector<std::string>& lines, double size) {
  return kLineHeight * size * static_cast<double>(lines.size());
}

void draw_x_axis(Svg& svg, const Axis& axis, const Frame& frame, std::string_view label) {
  for (const Tick& tick : axis.ticks()) {
    const double x = axis.at(tick.value);
    const bool minor = tick.label.empty();
    svg.line({x, frame.top}, {x, frame.bottom()}, minor ? kFaintGridLine : kGridLine);
    svg.line({x, frame.bottom()}, {x, frame.bottom() + (minor ? 2.5 : 4.5)}, kAxisLine);
    if (!minor)
      svg.text({x, frame.bottom() + 17}, tick.label, {kTickTextSize, kInk, Anchor::kMiddle},
               tick.exponent);
  }
  svg.line({frame.left, frame.bottom()}, {frame.right(), frame.bottom()}, kAxisLine);
  draw_lines(svg, {frame.left + frame.width / 2, frame.bottom() + kTickLabelsHeight + 15},
             wrap_text(label, frame.width, kLabelSize), {kLabelSize, kInk, Anchor::kMiddle});
}

double x_axis_height(std::string_view label, double width) {
  return kTickLabelsHeight + 5 + lines_height(wrap_text(label, width, kLabelSize), kLabelSize);
}

}  // namespace otss::internal::figures
