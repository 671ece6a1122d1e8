#include "data/check/check_levels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "data/table/columns.hpp"

namespace otss::internal {
namespace {

// A number column with at most this many different values is checked value by value.
constexpr std::size_t kFewValues = 12;
constexpr std::size_t kThinLevel = 20;  // a level with fewer rows than this is reported
// All rows with one value may have the same outcome by chance. The value is reported as deciding
// the outcome only if the probability of this coincidence is below this limit.
constexpr double kByChance = 0.01;
// A factor hardly varies at a level if its variance at this level is at most this share of its
// variance over all rows.
constexpr double kHardlyVaries = 1e-3;

struct Level {
  std::size_t rows = 0, ones = 0;
  std::size_t first_row = 0;  // the first row of the raw log that has this value
};

// The key is a value of a column, and Level describes the rows with this value. Missing values have
// the key infinity, since usable values are finite.
using Levels = std::map<double, Level>;

double key_of(const RawColumn& column, std::size_t row) {
  return column.is_missing(row) ? std::numeric_limits<double>::infinity() : column.values[row];
}

// Returns the levels of a column. A number column with many different values has no levels.
Levels levels_of(const RawColumn& column, const UsableLog& usable,
                 std::span<const double> outcomes) {
  Levels levels;
  for (std::size_t i = 0; i < usable.rows.size(); ++i) {
    const std::size_t row = usable.rows[i];
    Level& level = levels[key_of(column, row)];
    if (level.rows++ == 0) level.first_row = row;
    level.ones += outcomes[i] != 0 ? 1 : 0;
    if (!column.is_text && levels.size() > kFewValues) return {};
  }
  return levels;
}

// Returns the gap between two ranges: the values of rows with outcome 0, and the values of rows
// with outcome 1. The gap is 0 if the ranges have one end point in common, and negative if they
// overlap.
double gap_between_outcomes(const RawColumn& column, const UsableLog& usable,
                            std::span<const double> outcomes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> low{kInfinity, kInfinity}, high{-kInfinity, -kInfinity};
  for (std::size_t i = 0; i < usable.rows.size(); ++i) {
    const double value = column.values[usable.rows[i]];
    if (std::isnan(value)) return -kInfinity;
    const std::size_t y = outcomes[i] != 0 ? 1 : 0;
    low[y] = std::min(low[y], value);
    high[y] = std::max(high[y], value);
  }
  return std::max(low[1] - high[0], low[0] - high[1]);
}

class SeparationCheck {
 public:
  SeparationCheck(const UsableLog& usable, const RawLog& log, Findings& findings)
      : usable_(usable), outcomes_(usable_outcomes(usable, log)), findings_(findings) {
    const auto ones = static_cast<double>(std::ranges::count(outcomes_, 1.0));
    rate_ = ones / static_cast<double>(outcomes_.size());
  }

  void look_at(const RawColumn& column, bool is_factor) {
    const char* role = is_factor ? "factor" : "context";
    const Levels levels = levels_of(column, usable_, outcomes_);
    const double gap = column.is_text ? -1 : gap_between_outcomes(column, usable_, outcomes_);
    if (gap < 0 || (gap == 0 && !levels.empty())) {
      report_levels(column, levels, role, is_factor);
      return;
    }
    findings_.push_back(
        {Severity::kUnidentified,
         "separation",
         fmt::format("{} '{}' alone decides the outcome in every row{} (separation), so its weight "
                     "has no finite best value; leave this column out ({})",
                     role, column.name, gap == 0 ? " except at one boundary value" : "",
                     is_factor ? "was it recorded after the outcome?"
                               : "was it known before the decision?"),
         {column.name}});
  }

 private:
  // Returns true if all rows of the level have the same outcome, and the level has so many rows
  // that chance is an unlikely explanation.
  bool decides(const Level& level, std::size_t num_levels) const {
    const double one = level.ones == 0 ? 1 - rate_ : level.ones == level.rows ? rate_ : 1;
    return static_cast<double>(num_levels) * std::pow(one, static_cast<double>(level.rows)) <
           kByChance;
  }

  void report_levels(const RawColumn& column, const Levels& levels, const char* role,
                     bool is_factor) {
    std::vector<std::string> named;
    std::size_t rows = 0;
    for (const auto& [value, level] : levels) {
      if (!decides(level, levels.size())) continue;
      named.push_back(fmt::format("{} = {}", column.name, column.shown(level.first_row)));
      rows += level.rows;
    }
    if (named.empty()) return;
    const bool all = rows == usable_.rows.size();
    findings_.push_back(
        {is_factor || all ? Severity::kUnidentified : Severity::kWarning,
         "separation",
         fmt::format("{} '{}' alone decides the outcome where {} (separation: each of these "
                     "values occurs with only one outcome, in {} rows together), {}",
                     role, column.name, list_names(named), rows,
                     is_factor ? "so its weight would grow without limit; collect rows with these "
                                 "values and both outcomes, or leave the factor out of --factors"
                               : "so these rows say nothing about the factors; leave these rows "
                                 "out, or merge these values with other values"),
         {column.name}});
  }

  const UsableLog& usable_;
  std::vector<double> outcomes_;
  Findings& findings_;
  double rate_ = 0;
};

// Computes the variance of values that are added one by one.
struct Spread {
  double count = 0, mean = 0, squares = 0;
  void add(double value) {
    ++count;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }
  double variance() const { return squares / count; }
};

void report_still_factors(const RawColumn& context, const RawColumn& factor,
                          const UsableLog& usable, Findings& findings) {
  Spread overall;
  std::map<double, Spread> within;
  std::map<double, std::size_t> example;
  for (const std::size_t row : usable.rows) {
    const double key = key_of(context, row);
    overall.add(factor.values[row]);
    within[key].add(factor.values[row]);
    example.emplace(key, row);
  }
  std::vector<std::string> still;
  bool all_constant = true;
  double rows = 0;
  for (const auto& [key, spread] : within) {
    if (spread.count < kThinLevel || spread.variance() > kHardlyVaries * overall.variance())
      continue;
    still.push_back(context.shown(example.at(key)));
    all_constant = all_constant && spread.squares == 0;
    rows += spread.count;
  }
  if (still.empty() || still.size() == within.size()) return;
  findings.push_back(
      {Severity::kWarning,
       "thin_region",
       fmt::format(
           "factor '{}' {} where {} is {} ({:.0f} rows), so its weight there is "
           "estimated only from other contexts; collect rows of these contexts in which this "
           "factor has other values",
           factor.name, all_constant ? "does not vary" : "hardly varies", context.name,
           list_names(still), rows),
       {context.name, factor.name}});
}

}  // namespace

void check_separation(const UsableLog& usable, const RawLog& log, Findings& findings) {
  SeparationCheck check(usable, log, findings);
  for (const std::size_t i : usable.factors) check.look_at(log.factors()[i], true);
  for (const std::size_t i : usable.contexts) check.look_at(log.contexts()[i], false);
}

void report_thin_levels(const std::string& context, const std::vector<LevelRows>& levels,
                        Findings& findings) {
  std::vector<std::string> thin;
  std::size_t rows = 0;
  for (const LevelRows& level : levels) {
    if (level.rows >= kThinLevel) continue;
    thin.push_back(level.level);
    rows += level.rows;
  }
  if (thin.empty()) return;
  findings.push_back(
      {Severity::kWarning,
       "thin_level",
       fmt::format("context '{}' has {} with fewer than {} rows each ({} rows in all): {}; merge "
                   "rare levels with other levels",
                   context, thin.size() == 1 ? "1 level" : fmt::format("{} levels", thin.size()),
                   kThinLevel, rows, list_names(thin)),
       {context}});
}

bool may_separate(const UsableLog& usable, const RawLog& log) {
  const std::vector<double> outcomes = usable_outcomes(usable, log);
  const auto may = [&](const RawColumn& column) {
    return column.is_text || !levels_of(column, usable, outcomes).empty() ||
           gap_between_outcomes(column, usable, outcomes) >= 0;
  };
  return std::ranges::any_of(usable.factors, [&](auto i) { return may(log.factors()[i]); }) ||
         std::ranges::any_of(usable.contexts, [&](auto i) { return may(log.contexts()[i]); });
}

void check_thin_levels(const UsableLog& usable, const RawLog& log, Findings& findings) {
  const std::vector<double> outcomes = usable_outcomes(usable, log);
  for (const std::size_t i : usable.contexts) {
    const RawColumn& context = log.contexts()[i];
    const Levels levels = levels_of(context, usable, outcomes);
    if (levels.empty()) continue;
    if (context.is_text) {
      std::vector<LevelRows> rows;
      for (const auto& [value, level] : levels)
        rows.push_back({context.shown(level.first_row), level.rows});
      report_thin_levels(context.name, rows, findings);
    }
    for (const std::size_t j : usable.factors)
      report_still_factors(context, log.factors()[j], usable, findings);
  }
}

}  // namespace otss::internal
