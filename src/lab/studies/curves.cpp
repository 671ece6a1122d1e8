#include "lab/studies/curves.hpp"

#include <fmt/core.h>

#include "lab/studies/markdown_table.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/present.hpp"

namespace otss::internal {

std::vector<Series> method_curves(const std::vector<CurvePoint>& points, double Scorecard::*field) {
  std::vector<Series> curves;
  for (std::size_t e = 0; e < points.front().contest->names.size(); ++e) {
    Series series{.name = method_title(points.front().contest->names[e])};
    for (const CurvePoint& point : points) {
      const Interval interval = bootstrap_ratio(point.contest->values(e, field), {});
      series.x.push_back(point.value);
      series.y.push_back(point.contest->mean(e, field));
      series.lo.push_back(interval.lo);
      series.hi.push_back(interval.hi);
    }
    curves.push_back(std::move(series));
  }
  return curves;
}

std::string curve_table(const std::string& axis, const std::vector<CurvePoint>& points) {
  const std::vector<std::string>& methods = points.front().contest->names;
  const std::size_t reference = points.front().contest->reference;
  std::vector<std::string> header = {axis};
  for (const std::string& method : methods) header.push_back(method_title(method));
  for (std::size_t e = 0; e < methods.size(); ++e) {
    if (e != reference)
      header.push_back(method_title(methods[reference]) + " minus " + method_title(methods[e]));
  }
  std::vector<std::vector<std::string>> rows;
  for (const CurvePoint& point : points) {
    const Contest& contest = *point.contest;
    std::vector<std::string> row = {fmt::format("{}", point.value)};
    for (std::size_t e = 0; e < methods.size(); ++e) {
      row.push_back(mean_and_sd(contest.mean(e, &Scorecard::regret),
                                contest.deviation(e, &Scorecard::regret)));
    }
    for (std::size_t e = 0; e < methods.size(); ++e) {
      if (e == reference) continue;
      row.push_back(value_and_interval(contest.difference(e, &Scorecard::regret),
                                       contest.difference_interval(e, &Scorecard::regret)));
    }
    rows.push_back(std::move(row));
  }
  return markdown_table(header, rows);
}

}  // namespace otss::internal
