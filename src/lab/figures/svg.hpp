// The few SVG elements our figures are made of, and how wide text will be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace otss::figures {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  std::string_view color = "#333333";
  Anchor anchor = Anchor::kStart;
  bool bold = false;
};

// Text as it may stand in an element or attribute; characters that XML forbids become "?".
std::string escape_xml(std::string_view text);

// An upper estimate: the reader's machine chooses the font, so room is left for the widest of the
// usual ones.
double text_width(std::string_view text, double size, bool bold = false);

// Lines no wider than `width`; a word that is wider by itself is cut. No text, no lines.
std::vector<std::string> wrap_text(std::string_view text, double width, double size,
                                   bool bold = false);

// Elements in the order they are drawn. `style` is a list of presentation attributes, written as
// is.
class Svg {
 public:
  void open_group(std::string_view style = {}, std::string_view tooltip = {});
  void close_group();

  void line(Point from, Point to, std::string_view style);
  void polyline(const std::vector<Point>& points, std::string_view style);
  void polygon(const std::vector<Point>& points, std::string_view style);
  void rect(Point corner, double width, double height, std::string_view style);
  void circle(Point center, double radius, std::string_view style = {});
  // `exponent` is raised behind the text; `turn` is in degrees around `at`.
  void text(Point at, std::string_view text, const TextStyle& style, std::string_view exponent = {},
            double turn = 0);

  std::string document(double width, double height, std::string_view title,
                       std::string_view description) const;

 private:
  void shape(std::string_view element, const std::vector<Point>& points, std::string_view style);
  std::string body_;
};

}  // namespace otss::figures
