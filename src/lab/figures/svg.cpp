#include "lab/figures/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace otss::internal::figures {
namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;

struct Character {
  char32_t code = kInvalid;
  std::size_t bytes = 1;
};

std::size_t utf8_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

bool xml_allows(char32_t code) {
  const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return !control && !surrogate && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF;
}

// Returns the first character of `text`, or kInvalid if XML forbids this character. Precondition:
// `text` is not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = utf8_length(lead);
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = bytes == 1 ? lead : lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return {};
    code = code << 6U | (next & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[bytes] || !xml_allows(code)) return {};
  return {code, bytes};
}

// The widths of the characters from space to tilde in Helvetica, in thousandths of the font size.
constexpr std::array<short, 95> kHelvetica = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr double kWidestFont = 1.18;  // width of DejaVu Sans relative to Helvetica
constexpr double kBold = 1.1;

double character_width(char32_t code) {
  if (code >= ' ' && code <= '~') return kHelvetica[code - ' '] / 1000.0;
  return code < 0x2E80 ? 0.65 : 1.0;  // Chinese, Japanese and Korean characters are square
}

// Writes one decimal, which is enough: a tenth of a unit is not visible.
std::string coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string_view anchor_name(Anchor anchor) {
  if (anchor == Anchor::kMiddle) return "middle";
  return anchor == Anchor::kEnd ? "end" : "start";
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t from = 0; (from = text.find_first_not_of(kSpaces, from)) != text.npos;) {
    const std::size_t to = std::min(text.find_first_of(kSpaces, from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to;
  }
  return words;
}

// Returns the size in bytes of the longest prefix of `word` that fits into `width`. The prefix has
// at least one character.
std::size_t fitting_bytes(std::string_view word, double width, double size, bool bold) {
  std::size_t bytes = first_character(word).bytes;
  while (bytes < word.size()) {
    const std::size_t next = bytes + first_character(word.substr(bytes)).bytes;
    if (text_width(word.substr(0, next), size, bold) > width) break;
    bytes = next;
  }
  return bytes;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Character character = first_character(text);
    switch (character.code) {
      case kInvalid: escaped += '?'; break;
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return escaped;
}

double text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character_width(character.code == kInvalid ? U'?' : character.code);
    text.remove_prefix(character.bytes);
  }
  return width * size * kWidestFont * (bold ? kBold : 1.0);
}

std::vector<std::string> wrap_text(std::string_view text, double width, double size, bool bold) {
  std::vector<std::string> lines;
  for (std::string_view word : words_of(text)) {
    const std::string longer = lines.empty() ? "" : fmt::format("{} {}", lines.back(), word);
    if (!lines.empty() && text_width(longer, size, bold) <= width) {
      lines.back() = longer;
      continue;
    }
    while (text_width(word, size, bold) > width) {
      const std::size_t bytes = fitting_bytes(word, width, size, bold);
      if (bytes == word.size()) break;
      lines.emplace_back(word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    lines.emplace_back(word);
  }
  return lines;
}

void Svg::open_group(std::string_view style, std::string_view tooltip) {
  body_ += fmt::format("<g{}{}>\n", style.empty() ? "" : " ", style);
  if (!tooltip.empty()) body_ += fmt::format("<title>{}</title>\n", escape_xml(tooltip));
}

void Svg::close_group() { body_ += "</g>\n"; }

void Svg::line(Point from, Point to, std::string_view style) {
  body_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>)"
                       "\n",
                       coordinate(from.x), coordinate(from.y), coordinate(to.x), coordinate(to.y),
                       style);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view style) {
  shape("polyline", points, style);
}

void Svg::polygon(const std::vector<Point>& points, std::string_view style) {
  shape("polygon", points, style);
}

void Svg::shape(std::string_view element, const std::vector<Point>& points,
                std::string_view style) {
  std::string list;
  for (const Point& point : points) {
    if (!list.empty()) list += ' ';
    list += fmt::format("{},{}", coordinate(point.x), coordinate(point.y));
  }
  body_ += fmt::format("<{} points=\"{}\" {}/>\n", element, list, style);
}

void Svg::rect(Point corner, double width, double height, std::string_view style) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" {}/>)"
                       "\n",
                       coordinate(corner.x), coordinate(corner.y), coordinate(width),
                       coordinate(height), style);
}

void Svg::circle(Point center, double radius, std::string_view style) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}"{}{}/>)"
                       "\n",
                       coordinate(center.x), coordinate(center.y), coordinate(radius),
                       style.empty() ? "" : " ", style);
}

void Svg::text(Point at, std::string_view text, const TextStyle& style, std::string_view exponent,
               double turn) {
  std::string attributes =
      fmt::format(R"(x="{}" y="{}" font-size="{}" fill="{}" text-anchor="{}")", coordinate(at.x),
                  coordinate(at.y), coordinate(style.size), style.color, anchor_name(style.anchor));
  if (style.bold) attributes += R"( font-weight="bold")";
  if (turn != 0)
    attributes += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(turn), coordinate(at.x),
                              coordinate(at.y));
  std::string raised;
  if (!exponent.empty())
    raised =
        fmt::format(R"(<tspan dy="{}" font-size="{}">{}</tspan>)", coordinate(-0.36 * style.size),
                    coordinate(0.74 * style.size), escape_xml(exponent));
  body_ += fmt::format("<text {}>{}{}</text>\n", attributes, escape_xml(text), raised);
}

std::string Svg::document(double width, double height, std::string_view title,
                          std::string_view description) const {
  const std::string w = coordinate(std::ceil(width));
  const std::string h = coordinate(std::ceil(height));
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" )"
      R"(font-family="Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif">)"
      "\n<title>{2}</title>\n<desc>{3}</desc>\n"
      R"(<rect width="{0}" height="{1}" fill="#FFFFFF"/>)"
      "\n{4}</svg>\n",
      w, h, escape_xml(title), escape_xml(description), body_);
}

}  // namespace otss::internal::figures
