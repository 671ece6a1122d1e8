// Assigns a colour, dashes and a marker to each series by its name. A series looks the same in all
// panels of a figure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/figures/figure.hpp"
#include "lab/figures/svg.hpp"

namespace otss::internal::figures {

inline constexpr std::string_view kInk = "#333333";  // colour of text and axes
// The colour of captions, and of dashed series that have no solid partner.
inline constexpr std::string_view kFaintInk = "#666666";
inline constexpr std::string_view kHighlight = "#D55E00";  // colour of OTSS
inline constexpr std::string_view kHighlightText = "#A84A00";
inline constexpr std::string_view kGridLine = R"(stroke="#E4E4E4" stroke-width="0.8")";
inline constexpr std::string_view kFaintGridLine = R"(stroke="#F3F3F3" stroke-width="0.8")";
inline constexpr std::string_view kAxisLine = R"(stroke="#333333" stroke-width="1")";

enum class Marker { kCircle, kSquare, kTriangle, kDiamond, kTriangleDown };

void draw_marker(Svg& svg, Marker marker, Point center, double radius, std::string_view style);

struct Look {
  std::string_view color;
  std::string_view text_color;  // darker than the line's colour, so that text is readable
  std::string_view dashes;      // stroke-dasharray, empty for a solid line
  Marker marker = Marker::kCircle;
  bool highlight = false;

  std::string line_style() const;
};

class Looks {
 public:
  explicit Looks(const Figure& figure);
  const Look& of(const Series& series) const;

  // The partner of a dashed series is the solid series from which the dashed series takes its
  // colour. Returns the name of the partner, or an empty name if there is no partner.
  std::string_view partner(const Series& series) const;

  // True if a dashed series has exactly the name of its solid partner. The dashed series then needs
  // no label of its own.
  bool is_twin(const Series& series) const;

 private:
  struct Named {
    std::string name;
    bool dashed;
    Look look;
  };
  const Named* find(std::string_view name, bool dashed) const;
  const Named* solid_series_leading(std::string_view name) const;
  void add_solid(const std::string& name);
  void add_dashed(const std::string& name);

  std::vector<Named> named_;
  int num_plain_ = 0;
  int num_highlighted_ = 0;
  int num_references_ = 0;
};

}  // namespace otss::internal::figures
