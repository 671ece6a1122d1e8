#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "data/check/usable_log.hpp"
#include "data/log/column_summary.hpp"
#include "data/log/duplicate_factors.hpp"
#include "data/log/log_builder.hpp"
#include "data/log/log_checks.hpp"
#include "data/log/tile_matrix.hpp"
#include "data/table/columns.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal {
namespace {

constexpr double kMostlyMissing = 0.5;
// If less than this fraction of the outcomes are neither 0 nor 1, their rows are reported as
// errors. Otherwise the whole column is reported as not binary.
constexpr double kFewStrays = 0.1;
constexpr double kUnevenWeights = 0.1;
constexpr std::size_t kFewestForId = 20;
constexpr std::size_t kFewGroups = 20;

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

struct FactorFacts {
  std::vector<std::size_t> constant;
  std::vector<std::pair<std::size_t, std::size_t>> twins;
};

// Finds constant and duplicate factors by the rules of read_log. So this check reports exactly the
// factors that read_log would refuse.
FactorFacts gather_facts(const std::vector<std::vector<double>>& factors,
                         std::span<const double> weights) {
  std::vector<ColumnSummary> summaries(factors.size());
  DuplicateFactors twins(factors.size());
  TileMatrix scratch(kStripRows, static_cast<int>(factors.size()));
  for (std::size_t first = 0; first < weights.size(); first += kStripRows) {
    const std::size_t rows = std::min(kStripRows, weights.size() - first);
    std::vector<const double*> strips;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      strips.push_back(factors[j].data() + first);
      summaries[j].absorb({strips[j], rows}, weights.subspan(first, rows), scratch, 0,
                          static_cast<int>(j));
    }
    twins.observe(first / kStripRows, strips, rows, summaries);
  }
  FactorFacts facts{{}, twins.find_all(summaries)};
  for (std::size_t j = 0; j < factors.size(); ++j) {
    if (summaries[j].is_constant()) facts.constant.push_back(j);
  }
  return facts;
}

class ColumnChecker {
 public:
  ColumnChecker(const RawLog& log, Findings& findings)
      : log_(log), findings_(findings), is_usable_(log.num_rows, true) {}

  UsableLog run() {
    check_outcome();
    check_weight();
    check_group_and_time();
    for (std::size_t i = 0; i < log_.factors().size(); ++i) check_factor_values(i);
    for (std::size_t i = 0; i < log_.contexts().size(); ++i) check_context(i);
    for (std::size_t row = 0; row < log_.num_rows; ++row) {
      if (is_usable_[row]) usable_.rows.push_back(row);
    }
    if (usable_.rows.empty()) {
      add(Severity::kUnidentified, "no_usable_rows",
          "every row has a missing or invalid value, so no row can be used; correct these values");
      return usable_;
    }
    check_outcome_varies();
    check_factors_vary();
    return usable_;
  }

 private:
  struct Rows {
    std::size_t count = 0, first = 0;
  };

  void add(Severity severity, const char* kind, std::string what,
           std::vector<std::string> columns = {}) {
    findings_.push_back({severity, kind, std::move(what), std::move(columns)});
  }

  Rows count(const RawColumn& column, const std::function<bool(double)>& holds) const {
    Rows rows;
    for (std::size_t row = 0; row < log_.num_rows; ++row) {
      if (holds(column.values[row]) && rows.count++ == 0) rows.first = row;
    }
    return rows;
  }

  void set_aside(const RawColumn& column, const std::function<bool(double)>& holds) {
    for (std::size_t row = 0; row < log_.num_rows; ++row) {
      if (holds(column.values[row])) is_usable_[row] = false;
    }
  }

  std::string where(const Rows& rows) const {
    return fmt::format("in {} of {} rows, first in {}", rows.count, log_.num_rows,
                       log_.layout.row(rows.first));
  }

  // Reports the rows for which `is_bad` holds, and excludes them from the usable log.
  void refuse(const RawColumn& column, const char* role, const char* kind,
              const std::function<bool(double)>& is_bad, const char* is_what, const char* way_out) {
    const Rows bad = count(column, is_bad);
    if (bad.count == 0) return;
    add(Severity::kRefused, kind,
        fmt::format("{} '{}' is {} {}; {}", role, column.name, is_what, where(bad), way_out),
        {column.name});
    set_aside(column, is_bad);
  }

  void check_outcome();
  void check_other_outcomes(const std::set<double>& values);
  void check_outcome_varies();
  void check_weight();
  void check_group_and_time();
  void check_factor_values(std::size_t factor);
  void check_factors_vary();
  void check_context(std::size_t context);
  bool looks_like_id(const RawColumn& column) const;
  std::vector<TextLevel> levels_of(const RawColumn& column) const;
  void note_levels(const RawColumn& column);
  bool has_stray_text(const RawColumn& column);

  const RawLog& log_;
  Findings& findings_;
  UsableLog usable_;
  std::vector<bool> is_usable_;
};

bool is_missing(double value) { return std::isnan(value); }
bool is_infinite(double value) { return std::isinf(value); }
bool is_not_binary(double value) { return value != 0 && value != 1; }

void ColumnChecker::check_outcome() {
  const RawColumn& outcome = log_.outcome();
  refuse(
      outcome, "outcome", "missing_values", [](double y) { return !std::isfinite(y); },
      "missing or infinite", "fill in the values, or drop these rows");
  std::set<double> values;
  for (const double y : outcome.values) {
    if (std::isfinite(y)) values.insert(y);
  }
  if (std::ranges::any_of(values, is_not_binary)) check_other_outcomes(values);
}

void ColumnChecker::check_other_outcomes(const std::set<double>& values) {
  const RawColumn& outcome = log_.outcome();
  const auto is_other = [](double y) { return std::isfinite(y) && is_not_binary(y); };
  const Rows other = count(outcome, is_other);
  if (values.contains(0) && values.contains(1) && share(other.count, log_.num_rows) < kFewStrays) {
    refuse(outcome, "outcome", "outcome_not_binary", is_other, "neither 0 nor 1",
           "correct these values, or drop these rows");
    return;
  }
  if (values.size() == 1) return;  // another check reports constant outcomes
  if (values.size() == 2) {
    usable_.one = *values.rbegin();
    add(Severity::kRefused, "outcome_not_binary",
        fmt::format("outcome '{}' has only the values {} and {}; say which one counts as 1, for "
                    "example --positive {} (this check counts {} as 1)",
                    outcome.name, *values.begin(), usable_.one, usable_.one, usable_.one),
        {outcome.name});
    return;
  }
  usable_.outcome = OutcomeKind::kReal;
  add(Severity::kUnidentified, "outcome_not_binary",
      fmt::format("outcome '{}' has {} different values from {} to {}, for example {} in {}; "
                  "recode it as 0 and 1, or fit with --family gaussian or poisson",
                  outcome.name, values.size(), *values.begin(), *values.rbegin(),
                  outcome.shown(other.first), log_.layout.row(other.first)),
      {outcome.name});
}

void ColumnChecker::check_outcome_varies() {
  const RawColumn& outcome = log_.outcome();
  const double first = outcome.values[usable_.rows.front()];
  const bool varies = std::ranges::any_of(
      usable_.rows, [&](std::size_t row) { return outcome.values[row] != first; });
  if (varies) return;
  add(Severity::kUnidentified, "constant_outcome",
      fmt::format("outcome '{}' is {} in every row; nothing can be learned from a constant "
                  "outcome; add rows with another outcome",
                  outcome.name, outcome.shown(usable_.rows.front())),
      {outcome.name});
  usable_.outcome_varies = false;
}

void ColumnChecker::check_weight() {
  if (!log_.layout.weight) return;
  const RawColumn& weight = log_.columns[*log_.layout.weight];
  refuse(
      weight, "weight", "bad_weights", [](double w) { return !(w >= 0) || std::isinf(w); },
      "negative, missing or infinite", "correct these values, or drop these rows");
  double sum = 0, squares = 0;
  std::size_t positive = 0;
  for (const double w : weight.values) {
    if (!(w > 0) || std::isinf(w)) continue;
    sum += w;
    squares += w * w;
    ++positive;
  }
  if (positive == 0) {
    add(Severity::kUnidentified, "bad_weights",
        fmt::format("weight '{}' is not above 0 in any row; give at least one row a weight above 0",
                    weight.name),
        {weight.name});
  } else if (sum * sum / squares < kUnevenWeights * static_cast<double>(positive)) {
    add(Severity::kWarning, "uneven_weights",
        fmt::format(
            "weight '{}' is so uneven that {} rows count like only {:.0f} rows of equal weight "
            "(the effective sample size); limit the largest weights",
            weight.name, positive, sum * sum / squares),
        {weight.name});
  }
  set_aside(weight, [](double w) { return w == 0; });
}

void ColumnChecker::check_group_and_time() {
  if (log_.layout.group) {
    const RawColumn& group = log_.columns[*log_.layout.group];
    refuse(group, "group", "missing_values", is_missing, "missing",
           "give every row a group, or leave out --group");
    std::set<double> groups;
    std::ranges::copy_if(group.values, std::inserter(groups, groups.end()),
                         [](double code) { return !std::isnan(code); });
    if (groups.size() < kFewGroups) {
      add(Severity::kWarning, "few_groups",
          fmt::format("the --group column '{}' has only {} different values, too few for reliable "
                      "held-out losses and intervals; give --group a column with more different "
                      "values, or leave out --group",
                      group.name, groups.size()),
          {group.name});
    }
  }
  if (log_.layout.time) {
    refuse(
        log_.columns[*log_.layout.time], "time", "missing_values",
        [](double t) { return !std::isfinite(t); }, "missing or infinite",
        "give every row a time, or leave out --time");
  }
}

void ColumnChecker::check_factor_values(std::size_t factor) {
  const RawColumn& column = log_.factors()[factor];
  const auto is_bad = [](double z) { return !std::isfinite(z); };
  const Rows bad = count(column, is_bad);
  if (share(bad.count, log_.num_rows) > kMostlyMissing) {
    add(Severity::kUnidentified, "missing_values",
        fmt::format("factor '{}' is missing or infinite {}; leave it out of --factors", column.name,
                    where(bad)),
        {column.name});
    return;
  }
  refuse(column, "factor", "missing_values", is_bad, "missing or infinite",
         "fill in the values, drop these rows, or leave the factor out of --factors");
  usable_.factors.push_back(factor);
}

void ColumnChecker::check_factors_vary() {
  std::vector<std::vector<double>> values;
  for (const std::size_t i : usable_.factors)
    values.push_back(usable_values(usable_, log_.factors()[i]));
  const FactorFacts facts = gather_facts(values, usable_weights(usable_, log_));
  std::set<std::size_t> dropped;
  const auto factor = [&](std::size_t j) -> const RawColumn& {
    return log_.factors()[usable_.factors[j]];
  };
  for (const std::size_t j : facts.constant) {
    dropped.insert(j);
    add(Severity::kUnidentified, "constant_factor",
        fmt::format("factor '{}' is {} in every row{}, so its weight cannot be learned; leave it "
                    "out of --factors, or collect rows in which it has other values",
                    factor(j).name, factor(j).shown(usable_.rows.front()),
                    usable_.rows.size() < log_.num_rows ? " that can be used" : ""),
        {factor(j).name});
  }
  for (const auto& [first, second] : facts.twins) {
    if (dropped.contains(first) || dropped.contains(second)) continue;
    dropped.insert(second);
    add(Severity::kUnidentified, "duplicated_factors",
        fmt::format("factors '{}' and '{}' are the same up to scale and offset, so no log can "
                    "identify their separate weights; leave one of them out of --factors",
                    factor(first).name, factor(second).name),
        {factor(first).name, factor(second).name});
  }
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!dropped.contains(j)) kept.push_back(usable_.factors[j]);
  }
  usable_.factors = std::move(kept);
}

// Returns true if a column looks like an id. A text column looks like an id if it has more than
// kMostLevels different texts, or more different texts than half the number of rows. A number
// column looks like an id if its values could come from a counter: they are whole and all
// different, and they are sorted or close together. Incomes may be all different too, but incomes
// are neither sorted nor close together.
bool ColumnChecker::looks_like_id(const RawColumn& column) const {
  if (column.codes.size() > kMostLevels) return true;
  if (log_.num_rows < kFewestForId) return false;
  if (column.is_text) return share(column.codes.size(), log_.num_rows) > 0.5;
  const auto is_fraction = [](double x) { return !(std::floor(x) == x); };
  if (std::ranges::any_of(column.values, is_fraction)) return false;
  std::vector<double> sorted = column.values;
  std::ranges::sort(sorted);
  const bool is_dense = sorted.back() - sorted.front() < 20 * static_cast<double>(sorted.size());
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         (is_dense || std::ranges::is_sorted(column.values));
}

std::vector<TextLevel> ColumnChecker::levels_of(const RawColumn& column) const {
  std::vector<TextLevel> levels(column.codes.size());
  for (std::size_t row = log_.num_rows; row-- > 0;) {
    if (column.is_missing(row)) continue;
    TextLevel& level = levels[static_cast<std::size_t>(column.values[row])];
    ++level.num_rows;
    level.first_row = row;
  }
  return levels;
}

void ColumnChecker::note_levels(const RawColumn& column) {
  if (!column.is_text) return;
  for (std::string& note :
       notes_on_levels(log_.layout, column.name, column.codes.texts(), levels_of(column)))
    add(Severity::kNote, "reading", std::move(note), {column.name});
}

bool ColumnChecker::has_stray_text(const RawColumn& column) {
  if (!column.is_text || !log_.layout.kinds_are_guessed) return false;
  const std::vector<TextLevel> levels = levels_of(column);
  const auto stray = find_stray_text(column.codes.texts(), levels, log_.layout.rules);
  if (!stray) return false;
  add(Severity::kRefused, "stray_text",
      fmt::format("context '{0}' is '{1}' in {2}, but nearly all its values are numbers; correct "
                  "the value, or give --missing '{1}' if it means a missing value",
                  column.name, column.codes.texts()[*stray],
                  log_.layout.row(levels[*stray].first_row)),
      {column.name});
  return true;
}

void ColumnChecker::check_context(std::size_t context) {
  const RawColumn& column = log_.contexts()[context];
  refuse(column, "context", "missing_values", is_infinite, "infinite",
         "correct these values, or drop these rows");
  if (has_stray_text(column)) return;
  if (looks_like_id(column)) {
    add(column.codes.size() > kMostLevels ? Severity::kRefused : Severity::kWarning, "id_column",
        fmt::format("context '{}' looks like an id: {} different values in {} rows; leave it out "
                    "(--exclude {}), or merge its values into fewer levels",
                    column.name, column.is_text ? column.codes.size() : log_.num_rows,
                    log_.num_rows, column.name),
        {column.name});
    if (column.is_text) return;
  }
  note_levels(column);
  const Rows missing = count(column, is_missing);
  if (missing.count > 0) {
    const bool most = share(missing.count, log_.num_rows) > kMostlyMissing;
    add(most ? Severity::kWarning : Severity::kNote, "missing_values",
        fmt::format("context '{}' is missing {}; {}", column.name, where(missing),
                    most ? "most rows have no value, so leave this column out of --context, or "
                           "fill in the values"
                         : "a model gets one more encoded column, which marks the missing values"),
        {column.name});
  }
  const auto first = std::ranges::find_if_not(column.values, is_missing);
  const bool constant = std::all_of(first, column.values.end(),
                                    [&](double x) { return std::isnan(x) || x == *first; });
  if (constant && missing.count == 0) {
    add(Severity::kNote, "constant_context",
        fmt::format("context '{}' is {} in every row, so a model ignores this column", column.name,
                    column.shown(0)),
        {column.name});
  }
  usable_.contexts.push_back(context);
}

}  // namespace

UsableLog check_columns(const RawLog& log, Findings& findings) {
  return ColumnChecker(log, findings).run();
}

}  // namespace otss::internal
