#include "lab/figures/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace otss::internal::figures {
namespace {

struct Color {
  std::string_view mark, text;
};

// The colours of Okabe and Ito, which colour-blind readers can distinguish too. The warm colours
// are reserved for OTSS. Yellow is not used, because it is hard to see on white.
constexpr std::array<Color, 2> kWarm = {{{kHighlight, kHighlightText}, {"#E69F00", "#8F6300"}}};
constexpr std::array<Color, 7> kCool = {{{"#0072B2", "#00598A"},
                                         {"#009E73", "#00704F"},
                                         {"#CC79A7", "#9C4577"},
                                         {"#56B4E9", "#1F79AD"},
                                         {"#7F7F7F", "#5A5A5A"},
                                         {"#332288", "#332288"},
                                         {"#8C6D1F", "#6B5210"}}};

// There are five markers and seven colours, so the same marker and colour come together again only
// after 35 series.
constexpr std::array kMarkers = {Marker::kSquare, Marker::kTriangle, Marker::kDiamond,
                                 Marker::kTriangleDown, Marker::kCircle};
constexpr std::array<std::string_view, 4> kDashes = {"5 3.5", "1.5 3", "8 3 1.5 3", "11 4"};

bool names_otss(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("otss") != std::string::npos;
}

}  // namespace

void draw_marker(Svg& svg, Marker marker, Point center, double radius, std::string_view style) {
  const auto [x, y] = center;
  const double r = radius;
  switch (marker) {
    case Marker::kCircle: return svg.circle(center, r, style);
    case Marker::kSquare: return svg.rect({x - 0.88 * r, y - 0.88 * r}, 1.76 * r, 1.76 * r, style);
    case Marker::kTriangle:
      return svg.polygon(
          {{x - 1.1 * r, y + 0.85 * r}, {x + 1.1 * r, y + 0.85 * r}, {x, y - 1.15 * r}}, style);
    case Marker::kDiamond:
      return svg.polygon(
          {{x - 1.25 * r, y}, {x, y - 1.25 * r}, {x + 1.25 * r, y}, {x, y + 1.25 * r}}, style);
    case Marker::kTriangleDown:
      return svg.polygon(
          {{x - 1.1 * r, y - 0.85 * r}, {x + 1.1 * r, y - 0.85 * r}, {x, y + 1.15 * r}}, style);
  }
}

std::string Look::line_style() const {
  std::string style =
      fmt::format(R"(fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round")", color,
                  highlight ? "2.4" : "1.6");
  if (!dashes.empty()) style += fmt::format(R"( stroke-dasharray="{}")", dashes);
  return style;
}

Looks::Looks(const Figure& figure) {
  // Solid series come first, because a dashed series takes the colour of a solid one.
  for (const bool dashed : {false, true})
    for (const auto& panel : figure.panels)
      if (const auto* curves = std::get_if<CurvePanel>(&panel))
        for (const Series& series : curves->series)
          if (series.dashed == dashed && !find(series.name, dashed))
            dashed ? add_dashed(series.name) : add_solid(series.name);
}

const Look& Looks::of(const Series& series) const { return find(series.name, series.dashed)->look; }

std::string_view Looks::partner(const Series& series) const {
  const Named* partner = series.dashed ? solid_series_leading(series.name) : nullptr;
  return partner ? partner->name : std::string_view();
}

bool Looks::is_twin(const Series& series) const {
  return series.dashed && partner(series) == series.name;
}

const Looks::Named* Looks::find(std::string_view name, bool dashed) const {
  const auto found = std::find_if(named_.begin(), named_.end(), [&](const Named& named) {
    return named.name == name && named.dashed == dashed;
  });
  return found == named_.end() ? nullptr : &*found;
}

// Returns the solid series whose name is the longest prefix of `name` that ends at the end of a
// word.
const Looks::Named* Looks::solid_series_leading(std::string_view name) const {
  const Named* best = nullptr;
  for (const Named& named : named_) {
    if (named.dashed || named.name.empty() || !name.starts_with(named.name)) continue;
    const bool whole_words = name.size() == named.name.size() ||
                             !std::isalnum(static_cast<unsigned char>(name[named.name.size()]));
    if (whole_words && (!best || named.name.size() > best->name.size())) best = &named;
  }
  return best;
}

void Looks::add_solid(const std::string& name) {
  if (names_otss(name)) {
    const Color& color = kWarm[num_highlighted_ % kWarm.size()];
    const Marker marker = num_highlighted_ == 0 ? Marker::kCircle : Marker::kDiamond;
    named_.push_back({name, false, {color.mark, color.text, "", marker, true}});
    ++num_highlighted_;
    return;
  }
  const Color& color = kCool[num_plain_ % kCool.size()];
  const Marker marker = kMarkers[num_plain_ % kMarkers.size()];
  named_.push_back({name, false, {color.mark, color.text, "", marker, false}});
  ++num_plain_;
}

void Looks::add_dashed(const std::string& name) {
  Look look{kFaintInk, kFaintInk, kDashes[num_references_ % kDashes.size()], Marker::kCircle,
            false};
  if (const Named* partner = solid_series_leading(name)) {
    look = partner->look;
    look.dashes = kDashes[0];
    look.highlight = false;  // the solid series is highlighted already
  } else {
    ++num_references_;
  }
  named_.push_back({name, true, look});
}

}  // namespace otss::internal::figures
