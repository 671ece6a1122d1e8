// Writes the SVG elements that the figures use, and estimates the width of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace otss::internal::figures {

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

// Escapes text for use in an element or an attribute. Characters that XML forbids become "?".
std::string escape_xml(std::string_view text);

// Returns an upper bound of the width of the text. The reader's machine chooses the font, so the
// widest usual font is assumed.
double text_width(std::string_view text, double size, bool bold = false);

// Splits text into lines no wider than `width`. A word that is wider than a line is split. For an
// empty text, the result has no lines.
std::vector<std::string> wrap_text(std::string_view text, double width, double size,
                                   bool bold = false);

// Collects elements in the order in which they are drawn. `style` is a list of SVG presentation
// attributes.
class Svg {
 public:
  void open_group(std::string_view style = {}, std::string_view tooltip = {});
  void close_group();

  void line(Point from, Point to, std::string_view style);
  void polyline(const std::vector<Point>& points, std::string_view style);
  void polygon(const std::vector<Point>& points, std::string_view style);
  void rect(Point corner, double width, double height, std::string_view style);
  void circle(Point center, double radius, std::string_view style = {});
  // `exponent` is a superscript after the text; `turn` is a rotation around `at` in degrees.
  void text(Point at, std::string_view text, const TextStyle& style, std::string_view exponent = {},
            double turn = 0);

  std::string document(double width, double height, std::string_view title,
                       std::string_view description) const;

 private:
  void shape(std::string_view element, const std::vector<Point>& points, std::string_view style);
  std::string body_;
};

}  // namespace otss::internal::figures
