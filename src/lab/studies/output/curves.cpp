#include "lab/studies/output/curves.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "lab/studies/methods.hpp"
#include "lab/studies/output/markdown_table.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {
namespace {

std::vector<std::size_t> indices_of(const Contest& contest, const ShownMethods& shown) {
  std::vector<std::size_t> indices(contest.names.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  if (shown.empty()) return indices;
  indices.clear();
  for (const std::string& name : shown) indices.push_back(contest.index(name));
  return indices;
}

}  // namespace

std::vector<Series> method_curves(const std::vector<CurvePoint>& points, double Scorecard::*field,
                                  const ShownMethods& shown) {
  std::vector<Series> curves;
  const Contest& first = *points.front().contest;
  for (const std::size_t e : indices_of(first, shown)) {
    Series series{.name = method_title(first.names[e])};
    for (const CurvePoint& point : points) {
      series.x.push_back(point.value);
      series.y.push_back(point.contest->mean(e, field));
      const Interval interval = seed_interval(point.contest->values(e, field));
      if (std::isnan(interval.lo)) continue;
      series.lo.push_back(interval.lo);
      series.hi.push_back(interval.hi);
    }
    curves.push_back(std::move(series));
  }
  return curves;
}

std::string curve_table(const std::string& axis, const std::vector<CurvePoint>& points,
                        const ShownMethods& shown) {
  const Contest& first = *points.front().contest;
  const std::vector<std::size_t> methods = indices_of(first, shown);
  std::vector<std::size_t> compared;
  for (const std::size_t e : methods) {
    if (first.reference_of(e) != e) compared.push_back(e);
  }
  std::vector<std::string> header = {axis};
  for (const std::size_t e : methods) header.push_back(method_title(first.names[e]));
  for (const std::size_t e : compared) {
    header.push_back(method_title(first.names[first.reference_of(e)]) + " minus " +
                     method_title(first.names[e]));
  }
  std::vector<std::vector<std::string>> rows;
  for (const CurvePoint& point : points) {
    const Contest& contest = *point.contest;
    std::vector<std::string> row = {fmt::format("{}", point.value)};
    for (const std::size_t e : methods) {
      row.push_back(mean_and_sd(contest.mean(e, &Scorecard::regret),
                                contest.deviation(e, &Scorecard::regret)));
    }
    for (const std::size_t e : compared) {
      row.push_back(value_and_interval(contest.difference(e, &Scorecard::regret),
                                       contest.difference_interval(e, &Scorecard::regret)));
    }
    rows.push_back(std::move(row));
  }
  return markdown_table(header, rows);
}

}  // namespace otss::internal
