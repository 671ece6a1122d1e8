#include "lab/figures/figure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "lab/figures/svg.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;
using testing::Not;

// "" when every element that opens also closes, in order, and no bare "<" or "&" is left.
std::string xml_error(const std::string& xml) {
  static const std::regex kTag(R"re(<(/?)([a-z]+)((?: [a-zA-Z0-9:-]+="[^"<>]*")*)(/?)>)re");
  static const std::regex kBareAmpersand("&(?!amp;|lt;|gt;|quot;)");
  std::vector<std::string> open;
  for (std::sregex_iterator it(xml.begin(), xml.end(), kTag), end; it != end; ++it) {
    const std::smatch& tag = *it;
    if (tag.length(1) > 0) {
      if (open.empty() || open.back() != tag[2]) return "closes what is not open: " + tag.str();
      open.pop_back();
    } else if (tag.length(4) == 0) {
      open.push_back(tag[2]);
    }
  }
  const std::string between = std::regex_replace(xml, kTag, "");
  if (between.find('<') != std::string::npos) return "a bare <";
  if (std::regex_search(xml, kBareAmpersand)) return "a bare &";
  return open.empty() ? "" : "left open: " + open.back();
}

struct TextBox {
  std::string text;
  double left, right, top, bottom;
};

double attribute(const std::string& tag, const std::string& name) {
  std::smatch match;
  return std::regex_search(tag, match, std::regex(" " + name + "=\"([^\"]*)\""))
             ? std::stod(match[1])
             : NAN;
}

// Where every text stands, by the widths the layout itself counts on.
std::vector<TextBox> text_boxes(const std::string& svg) {
  static const std::regex kText(
      R"re(<text( [^>]*)>([^<]*)(?:<tspan[^>]*>([^<]*)</tspan>)?</text>)re");
  std::vector<TextBox> boxes;
  for (std::sregex_iterator it(svg.begin(), svg.end(), kText), end; it != end; ++it) {
    const std::string tag = (*it)[1];
    const bool bold = tag.find("bold") != std::string::npos;
    const double size = attribute(tag, "font-size");
    const double width = figures::text_width((*it)[2].str(), size, bold) +
                         figures::text_width((*it)[3].str(), 0.74 * size);
    const double shift = tag.find("middle") != std::string::npos    ? 0.5
                         : tag.find("\"end\"") != std::string::npos ? 1.0
                                                                    : 0.0;
    const double x = attribute(tag, "x");
    const double y = attribute(tag, "y");
    if (tag.find("rotate(-90") != std::string::npos)
      boxes.push_back({(*it)[2], x - 0.75 * size, x + 0.2 * size, y - width / 2, y + width / 2});
    else
      boxes.push_back(
          {(*it)[2], x - shift * width, x + (1 - shift) * width, y - 0.75 * size, y + 0.2 * size});
  }
  return boxes;
}

// Every text is inside the picture, and none lies on another.
void expect_readable(const std::string& svg) {
  std::smatch box;
  ASSERT_TRUE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9]+) ([0-9]+)\"")));
  const std::vector<TextBox> boxes = text_boxes(svg);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& a = boxes[i];
    EXPECT_GE(a.left, 0) << a.text;
    EXPECT_LE(a.right, std::stod(box[1])) << a.text;
    EXPECT_GE(a.top, 0) << a.text;
    EXPECT_LE(a.bottom, std::stod(box[2])) << a.text;
    for (std::size_t j = 0; j < i; ++j) {
      const TextBox& b = boxes[j];
      const bool apart =
          a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      EXPECT_TRUE(apart) << a.text << " lies on " << b.text;
    }
  }
}

Row row(const std::string& name, double mean) {
  return {name,           mean,      0.9 * mean, 1.1 * mean, {0.7 * mean, mean, 1.4 * mean},
          name == "OTSS", 1.2 * mean};
}

RowPanel methods_panel(const std::string& title, double scale) {
  RowPanel panel{title, "Regret"};
  double mean = scale;
  for (const char* name : {"OTSS", "EM", "low-rank", "MLP", "linear contextual", "hard routing",
                           "cluster-then-fit", "pooled"})
    panel.rows.push_back(row(name, mean *= 1.2));
  return panel;
}

Series curve(const std::string& name, double level, double slope) {
  Series series{name};
  for (const double x : {1000.0, 2000.0, 4000.0, 8000.0, 16000.0}) {
    series.x.push_back(x);
    series.y.push_back(level * std::pow(x / 1000, slope));
    series.lo.push_back(0.9 * series.y.back());
    series.hi.push_back(1.1 * series.y.back());
  }
  return series;
}

CurvePanel curves_panel(const std::string& title) {
  return {title,
          "Training rows",
          "Regret",
          true,
          false,
          {curve("pooled", 1, 0), curve("hard routing", 0.8, -0.3), curve("OTSS", 0.5, -0.5)}};
}

// How many texts of the picture read just so.
int times_written(const std::string& svg, const std::string& text) {
  const std::vector<TextBox> boxes = text_boxes(svg);
  return static_cast<int>(std::count_if(boxes.begin(), boxes.end(),
                                        [&](const TextBox& box) { return box.text == text; }));
}

TEST(Figure, OfRowsIsWellFormedReadableAndNamesEveryMethodOnce) {
  const Figure figure{
      "Panel B",
      "Means of 32 seeds.",
      {methods_panel("Hard", 0.3), methods_panel("Soft", 0.1), methods_panel("High n", 0.01)}};
  const std::string svg = render_svg(figure);
  EXPECT_EQ(xml_error(svg), "");
  expect_readable(svg);
  for (const Row& method : methods_panel("", 1).rows)
    EXPECT_EQ(times_written(svg, method.name), 1) << method.name;
  for (const char* text : {"Hard", "Soft", "High n", "paper", "one seed", "mean and interval"})
    EXPECT_EQ(times_written(svg, text), 1) << text;
  EXPECT_THAT(svg, HasSubstr("<title>Panel B</title>\n<desc>Means of 32 seeds."));
}

TEST(Figure, WritesTheNamesOfEachPanelWhereTheyDiffer) {
  RowPanel other = methods_panel("B", 1);
  other.rows.resize(3);
  const std::string svg = render_svg({"", "", {methods_panel("A", 1), other}});
  EXPECT_EQ(times_written(svg, "low-rank"), 2);
  EXPECT_EQ(times_written(svg, "pooled"), 1);
  expect_readable(svg);
}

TEST(Figure, IsTheSameTextEveryTime) {
  const Figure figure{"T", "C", {methods_panel("A", 1), curves_panel("B")}};
  EXPECT_EQ(render_svg(figure), render_svg(figure));
}

TEST(Figure, LabelsCurvesAtTheirEndsWhereThereIsRoom) {
  const std::string svg = render_svg({"", "", {curves_panel("A")}});
  EXPECT_EQ(xml_error(svg), "");
  expect_readable(svg);
  for (const TextBox& box : text_boxes(svg)) {
    if (box.text == "OTSS" || box.text == "pooled") {
      EXPECT_GT(box.left, 400) << box.text;
    }
  }
}

TEST(Figure, PutsTheNamesOfCurvesThatEndTogetherIntoALegend) {
  CurvePanel panel = curves_panel("A");
  for (int i = 0; i < 5; ++i) panel.series.push_back(curve("twin " + std::to_string(i), 1, 0));
  const std::string svg = render_svg({"", "", {panel}});
  expect_readable(svg);
  for (const Series& series : panel.series)
    EXPECT_EQ(times_written(svg, series.name), 1) << series.name;
  for (const TextBox& box : text_boxes(svg)) {
    if (box.text.starts_with("twin")) {
      EXPECT_LT(box.bottom, 90) << box.text;
    }
  }
}

TEST(Figure, GivesAFittedLineTheColourOfItsPointsAndOneLegendEntry) {
  CurvePanel panel = curves_panel("A");
  panel.series.resize(1);
  panel.series[0].line = false;
  Series fit = curve("pooled, slope 0.0", 1, 0);
  fit.dashed = true;
  fit.points = false;
  panel.series.push_back(fit);
  const std::string svg = render_svg({"", "", {panel, panel}});
  EXPECT_EQ(times_written(svg, "pooled, slope 0.0"), 1);
  EXPECT_EQ(times_written(svg, "pooled"), 0);
  EXPECT_TRUE(std::regex_search(svg, std::regex(R"re(stroke="#0072B2"[^>]*stroke-dasharray)re")));
}

TEST(Figure, EscapesEveryTextAndReplacesWhatXmlForbids) {
  const std::string hostile = "<b>&\"'\x01\xff";
  CurvePanel curves{hostile, hostile, hostile, false, false, {curve(hostile, 1, 0)}};
  RowPanel rows{hostile, hostile, false, false, {row(hostile, 1)}};
  const std::string svg = render_svg({hostile, hostile, {curves, rows}});
  EXPECT_EQ(xml_error(svg), "");
  EXPECT_THAT(svg, HasSubstr("<title>&lt;b&gt;&amp;&quot;'?"));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

TEST(Figure, LeavesOutWhatCannotBeShown) {
  CurvePanel curves = curves_panel("A");
  curves.log_y = true;
  curves.series[0].y = {NAN, 1, INFINITY, -1, 0};
  curves.series[1].lo = {NAN, -1, 0, -INFINITY, 0.1};
  curves.series[2].x = {-INFINITY, NAN, 0, -5, 100};
  RowPanel rows = methods_panel("B", 1);
  rows.log_x = true;
  rows.rows[0].points = {NAN, -1, 0, INFINITY};
  rows.rows[1] = {"never ran"};
  rows.rows[2].lo = -1;
  const std::string svg = render_svg({"", "", {curves, rows}});
  EXPECT_EQ(xml_error(svg), "");
  EXPECT_FALSE(std::regex_search(svg, std::regex(R"re(["=, ]-?(nan|inf))re")));
  EXPECT_THAT(svg, HasSubstr(">never ran</text>"));
  expect_readable(svg);
}

TEST(Figure, WithNothingToShowIsStillAPicture) {
  for (const Figure& figure :
       {Figure{}, Figure{"T", "", {CurvePanel{}}}, Figure{"T", "", {RowPanel{}}},
        Figure{"T", "", {CurvePanel{"A", "x", "y", true, true, {{"empty"}}}, RowPanel{}}}}) {
    const std::string svg = render_svg(figure);
    EXPECT_EQ(xml_error(svg), "");
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

TEST(Figure, GrowsWhereNamesAreLongAndWrapsLongLabels) {
  const std::string long_text(60, 'w');
  RowPanel rows{long_text + " " + long_text, long_text, false, false, {row(long_text, 3e7)}};
  CurvePanel curves{"A title of many words that cannot stand in one line of so narrow a panel",
                    "an axis with a name of many words, too long for the width of its panel",
                    "an axis with a name of many words, too long for its height",
                    false,
                    false,
                    {curve(long_text, 1e-7, 1)}};
  const std::string svg = render_svg({long_text + long_text, "", {curves, curves, curves, rows}});
  EXPECT_EQ(xml_error(svg), "");
  expect_readable(svg);
}

}  // namespace
}  // namespace otss
