#include "report/sections/movement_facts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/threads.hpp"
#include "otss/model/uncertainty.hpp"
#include "report/sections/column_facts.hpp"
#include "report/sections/mean_weights.hpp"
#include "report/sections/varied_contexts.hpp"

namespace otss::internal {
namespace {

constexpr RowLimits kCurveRows{.least = 50, .most = 500, .work = 4e9};
constexpr RowLimits kBandRows{.least = 10, .most = 100, .work = 4e9};
constexpr std::size_t kMostPoints = 13, kMostLevels = 30;
constexpr std::size_t kMostNumbers = 40'000;  // numbers in all curves together: about 300 kB

// Returns the values of a number column at which the curve is drawn.
std::vector<double> points_of(const ReportInput& input, std::size_t c) {
  const ContextColumn& column = input.encoder().contexts[c];
  if (column.type == ValueType::kBoolean) return {0, 1};
  std::vector<double> sorted = sorted_values(input.contexts.raw[c]);
  double lo = column.center - 2 * column.scale;
  double hi = column.center + 2 * column.scale;
  if (input.log != nullptr && !sorted.empty()) {
    constexpr double kTail = 0.02;
    lo = sorted_quantile(sorted, kTail);
    hi = sorted_quantile(sorted, 1 - kTail);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (sorted.size() <= kMostPoints) return sorted;
  } else if (column.range) {
    lo = std::max(lo, column.range->lo);
    hi = std::min(hi, column.range->hi);
  }
  if (!(lo < hi)) return {};
  std::vector<double> points;
  for (std::size_t i = 0; i < kMostPoints; ++i)
    points.push_back(std::lerp(lo, hi, static_cast<double>(i) / (kMostPoints - 1)));
  if (column.type == ValueType::kWholeNumber) {
    for (double& point : points) point = std::round(point);
    points.erase(std::unique(points.begin(), points.end()), points.end());
  }
  return points;
}

std::vector<std::size_t> levels_of(const ContextColumn& column) {
  std::vector<std::size_t> levels(column.levels.size());
  std::iota(levels.begin(), levels.end(), std::size_t{0});
  std::ranges::stable_sort(levels, std::greater{},
                           [&](std::size_t level) { return column.level_frequencies[level]; });
  levels.resize(std::min(levels.size(), kMostLevels));
  return levels;
}

// The curve of one column, before it is known whether it is shown.
class Curve {
 public:
  Curve(const ReportInput& input, std::size_t column) : input_(&input) {
    facts_.column = column;
    const ContextColumn& described = input.encoder().contexts[column];
    if (described.kind == ColumnKind::kText) {
      facts_.levels = levels_of(described);
    } else if (described.scale > 0) {
      facts_.at = points_of(input, column);
    }
  }

  std::size_t num_points() const { return facts_.at.size() + facts_.levels.size(); }
  const MovementFacts& facts() const { return facts_; }

  void add_means(const VariedContexts& contexts, const std::vector<FactorFacts>& factors,
                 const SegmentsFacts& segments) {
    facts_.weights.assign(factors.size(), {});
    facts_.shares.assign(segments.list.size(), {});
    for (std::size_t i = 0; i < num_points(); ++i) {
      const std::vector<double> x = contexts.with(facts_.column, value(i));
      const std::vector<double> w = mean_weights(input_->fitted, x);
      const std::vector<double> alpha = mean_shares(input_->fitted, x);
      for (std::size_t j = 0; j < w.size(); ++j) facts_.weights[j].push_back(w[j]);
      for (std::size_t s = 0; s < segments.list.size(); ++s)
        facts_.shares[s].push_back(alpha[segments.list[s].expert]);
    }
    for (std::size_t j = 0; j < factors.size(); ++j)
      facts_.strength.push_back(spread(facts_.weights[j]) * factors[j].sd);
  }

  void add_bands(const VariedContexts& contexts) {
    facts_.lo = facts_.hi = facts_.weights;
    for (std::size_t i = 0; i < num_points(); ++i) {
      std::vector<double> w;
      for (const std::vector<double>& of_factor : facts_.weights) w.push_back(of_factor[i]);
      const std::vector<Estimate> bands =
          with_intervals(input_->fitted, w, contexts.with(facts_.column, value(i)));
      for (std::size_t j = 0; j < bands.size(); ++j) {
        facts_.lo[j][i] = bands[j].lo;
        facts_.hi[j][i] = bands[j].hi;
      }
    }
  }

 private:
  RawValue value(std::size_t i) const {
    if (!facts_.at.empty()) return facts_.at[i];
    return std::string_view(input_->encoder().contexts[facts_.column].levels[facts_.levels[i]]);
  }

  // The standard deviation of a curve over the column's values. Levels count by their frequencies.
  double spread(const std::vector<double>& curve) const {
    const auto& frequencies = input_->encoder().contexts[facts_.column].level_frequencies;
    double total = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const double part = facts_.at.empty() ? frequencies[facts_.levels[i]] : 1;
      total += part;
      sum += part * curve[i];
    }
    const double mean = total > 0 ? sum / total : 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const double part = facts_.at.empty() ? frequencies[facts_.levels[i]] : 1;
      squares += part * (curve[i] - mean) * (curve[i] - mean);
    }
    return total > 0 ? std::sqrt(squares / total) : 0;
  }

  const ReportInput* input_;
  MovementFacts facts_;
};

double strongest_of(const MovementFacts& facts) { return std::ranges::max(facts.strength); }

std::vector<Curve> curves_of(const ReportInput& input) {
  std::vector<Curve> curves;
  for (std::size_t c = 0; c < input.encoder().contexts.size(); ++c) {
    Curve curve(input, c);
    if (curve.num_points() > 1) curves.push_back(std::move(curve));
  }
  return curves;
}

// Returns how many of the curves have at most kMostNumbers numbers together, but at least 1.
// `of_point` is how many numbers a curve has at each value.
std::size_t num_kept(const std::vector<Curve>& curves, std::size_t of_point) {
  std::size_t kept = 1;
  std::size_t points = curves.front().num_points();
  while (kept < curves.size()) {
    points += curves[kept].num_points();
    if (points * of_point > kMostNumbers) break;
    ++kept;
  }
  return kept;
}

double points_of_all(const std::vector<Curve>& curves) {
  double points = 0;
  for (const Curve& curve : curves) points += static_cast<double>(curve.num_points());
  return points;
}

// Adds bands to all curves. Returns the number of contexts from which they are computed.
std::size_t add_bands(const ReportInput& input, std::vector<Curve>& curves) {
  const double work = points_of_all(curves) * work_of_draws(input.fitted);
  const VariedContexts contexts(input.encoder(), input.contexts, kBandRows.affordable(work));
  parallel_for(curves.size(), input.threads, [&](std::size_t i) { curves[i].add_bands(contexts); });
  return contexts.num_rows();
}

std::vector<StrongPair> strongest_pairs(const std::vector<MovementFacts>& columns) {
  std::vector<StrongPair> pairs;
  for (const MovementFacts& one : columns) {
    for (std::size_t j = 0; j < one.strength.size(); ++j)
      pairs.push_back({j, one.column, one.strength[j]});
  }
  std::ranges::stable_sort(pairs, std::greater{}, &StrongPair::strength);
  pairs.resize(std::min(pairs.size(), MovementsFacts::kMostPairs));
  return pairs;
}

bool weights_vary(const Fitted& fitted) {
  return fitted.num_contexts() > 0 && fitted.num_experts() != 1;
}

}  // namespace

std::optional<MovementsFacts> movement_facts(const ReportInput& input,
                                             const std::vector<FactorFacts>& factors,
                                             const SegmentsFacts& segments) {
  if (!weights_vary(input.fitted)) return std::nullopt;
  std::vector<Curve> curves = curves_of(input);
  if (curves.empty()) return std::nullopt;
  const double of_point = (input.fitted.num_experts() + 2.0) * input.fitted.num_contexts();
  const VariedContexts contexts(input.encoder(), input.contexts,
                                kCurveRows.affordable(points_of_all(curves) * of_point));
  parallel_for(curves.size(), input.threads,
               [&](std::size_t i) { curves[i].add_means(contexts, factors, segments); });
  std::ranges::stable_sort(curves, std::greater{},
                           [](const Curve& one) { return strongest_of(one.facts()); });
  MovementsFacts facts{.source = input.source(), .sample_rows = contexts.num_rows()};
  const std::size_t kept = num_kept(curves, 3 * factors.size() + segments.list.size());
  for (std::size_t i = kept; i < curves.size(); ++i)
    facts.left_out.push_back(curves[i].facts().column);
  curves.erase(curves.begin() + static_cast<std::ptrdiff_t>(kept), curves.end());
  if (input.fitted.has_uncertainty()) facts.band_rows = add_bands(input, curves);
  for (const Curve& curve : curves) facts.columns.push_back(curve.facts());
  facts.strongest = strongest_pairs(facts.columns);
  return facts;
}

}  // namespace otss::internal
