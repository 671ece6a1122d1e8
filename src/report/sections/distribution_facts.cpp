#include "report/sections/distribution_facts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "report/sections/column_facts.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kMostBins = 12;

// Returns the edges of the bins of a number column. A column with few different values has one bin
// per value. Otherwise the bins have equal widths; the outer bins take in the tails.
std::vector<double> edges_of(const std::vector<double>& sorted) {
  constexpr double kTail = 0.01;
  std::vector<double> different = sorted;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<double> edges;
  if (different.size() == 1) return {different.front() - 0.5, different.front() + 0.5};
  if (different.size() <= kMostBins) {
    for (std::size_t i = 1; i < different.size(); ++i)
      edges.push_back(std::midpoint(different[i - 1], different[i]));
    const double first = edges.front();
    const double last = edges.back();
    edges.insert(edges.begin(), 2 * different.front() - first);
    edges.push_back(2 * different.back() - last);
    return edges;
  }
  double lo = sorted_quantile(sorted, kTail);
  double hi = sorted_quantile(sorted, 1 - kTail);
  if (!(lo < hi)) lo = sorted.front(), hi = sorted.back();
  for (std::size_t i = 0; i <= kMostBins; ++i)
    edges.push_back(std::lerp(lo, hi, static_cast<double>(i) / kMostBins));
  return edges;
}

// Returns the most frequent levels, the most frequent first.
std::vector<std::size_t> frequent_levels(const std::vector<double>& raw, std::size_t num_levels) {
  std::vector<std::size_t> counts(num_levels, 0);
  for (const double value : raw) {
    if (value >= 0) ++counts[static_cast<std::size_t>(value)];
  }
  std::vector<std::size_t> levels(num_levels);
  std::iota(levels.begin(), levels.end(), std::size_t{0});
  std::ranges::stable_sort(levels, std::greater{},
                           [&](std::size_t level) { return counts[level]; });
  levels.resize(std::min(levels.size(), kMostBins));
  return levels;
}

std::size_t bin_of(const DistributionFacts& facts, double value) {
  if (!facts.edges.empty()) {
    const auto above = std::upper_bound(facts.edges.begin() + 1, facts.edges.end() - 1, value);
    return above - facts.edges.begin() - 1;
  }
  const auto found = std::ranges::find_if(
      facts.levels, [&](std::size_t level) { return static_cast<double>(level) == value; });
  return found - facts.levels.begin();  // behind the last level: the bin of all other levels
}

// Counts contexts by bin, and divides by their number.
struct Histogram {
  std::vector<double> bins;
  double missing = 0, count = 0;

  void add(std::size_t bin, bool is_missing) {
    ++count;
    if (is_missing) {
      ++missing;
    } else {
      ++bins[bin];
    }
  }
  void divide() {
    for (double& bin : bins) bin /= std::max(1.0, count);
    missing /= std::max(1.0, count);
  }
};

}  // namespace

DistributionFacts distribution_facts(const ReportInput& input, const SegmentsFacts& segments,
                                     std::span<const int> leading, std::size_t column) {
  const std::vector<double>& raw = input.contexts.raw[column];
  const ContextColumn& described = input.encoder().contexts[column];
  DistributionFacts facts{.column = column};
  const std::vector<double> sorted = sorted_values(raw);
  if (described.kind == ColumnKind::kText) {
    facts.levels = frequent_levels(raw, described.levels.size());
  } else if (!sorted.empty()) {
    facts.edges = edges_of(sorted);
  }
  const std::size_t num_bins =
      facts.edges.empty() ? facts.levels.size() + 1 : facts.edges.size() - 1;
  Histogram everybody{std::vector<double>(num_bins, 0.0)};
  std::vector<Histogram> members(input.fitted.num_experts(), everybody);
  for (std::size_t row = 0; row < raw.size(); ++row) {
    const bool missing = std::isnan(raw[row]);
    const std::size_t bin = missing ? 0 : bin_of(facts, raw[row]);
    everybody.add(bin, missing);
    members[leading[row]].add(bin, missing);
  }
  everybody.divide();
  facts.other = facts.edges.empty() && everybody.bins.back() > 0;
  const auto keep = [&](Histogram& histogram) {
    if (facts.edges.empty() && !facts.other) histogram.bins.pop_back();
    return std::move(histogram.bins);
  };
  facts.everybody = keep(everybody);
  facts.everybody_missing = everybody.missing;
  for (const SegmentFacts& segment : segments.list) {
    Histogram& own = members[segment.expert];
    own.divide();
    facts.members.push_back(keep(own));
    facts.members_missing.push_back(own.missing);
  }
  return facts;
}

}  // namespace otss::internal
