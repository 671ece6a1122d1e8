#include <algorithm>
#include <cmath>
#include <optional>

#include "base/threads.hpp"
#include "data/check/check_levels.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/checks/check_identification.hpp"
#include "learn/checks/check_regions.hpp"
#include "learn/checks/check_size.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/large_problem.hpp"
#include "otss/learn/check.hpp"

namespace otss::internal {
namespace {

// The pooled fit of so many rows needs no subsample.
constexpr std::size_t kRowsSeenFirst = defaults::kStrengthRows;

// The first rows of a log, as a raw log with the outcome and one factor.
class RowsOfOneFactor {
 public:
  RowsOfOneFactor(const LoggedData& log, std::size_t num_rows) : log_(log) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      if (log.weights().empty() || log.weights()[row] > 0) usable.rows.push_back(row);
    }
    raw.num_rows = num_rows;
    raw.layout.outcome = 1;
    raw.columns.resize(2);
    raw.columns[0].values.resize(num_rows);
    raw.columns[1].values.assign(log.outcomes().begin(), log.outcomes().begin() + num_rows);
  }

  // Converts a factor from standardised units to the log's units. LoggedData keeps factors as f32,
  // so the values are rounded to about seven digits.
  void set_factor(int index) {
    const FactorColumn& factor = log_.encoder().factors[index];
    raw.layout.roles.factors = {factor.name};
    raw.columns[0].name = factor.name;
    const double unit = 1e-6 * std::max(std::abs(factor.center), factor.scale);
    const double step = std::pow(10, std::floor(std::log10(unit)));
    for (std::size_t row = 0; row < raw.num_rows; ++row) {
      const double standardised = log_.features().at(row, log_.num_contexts() + index);
      const double value = factor.center + factor.scale * standardised;
      raw.columns[0].values[row] = std::round(value / step) * step;
    }
  }

  UsableLog usable{.rows = {}, .contexts = {}, .factors = {0}};
  RawLog raw;

 private:
  const LoggedData& log_;
};

// Checks whether single factors determine the outcome, one factor after the other. For most factors
// the first rows show already that they do not.
void check_single_factors(const LoggedData& log, Findings& findings) {
  constexpr std::size_t kFirstRows = 4096;
  RowsOfOneFactor first(log, std::min(kFirstRows, log.num_rows()));
  std::optional<RowsOfOneFactor> all;
  for (int j = 0; j < log.num_factors(); ++j) {
    first.set_factor(j);
    if (!may_separate(first.usable, first.raw)) continue;
    if (!all) all.emplace(log, log.num_rows());
    all->set_factor(j);
    check_separation(all->usable, all->raw, findings);
  }
}

bool has_unidentified(const Findings& findings) {
  return std::ranges::any_of(
      findings, [](const Finding& one) { return one.severity == Severity::kUnidentified; });
}

// Adds what the outcomes and the factors say about the weights: separation, and combinations of
// factors that the log does not identify.
void check_weights(const LoggedData& log, const Problem& problem, int threads, Findings& findings) {
  std::vector<double> theta;  // stays empty if outcomes are not 0 or 1
  if (problem.family() == OutputFamily::kBernoulli) {
    const bool enough_rows = !has_unidentified(findings);
    Findings separated;
    check_single_factors(log, separated);
    theta = fit_pooled(problem, threads).fit.theta;
    if (enough_rows && !has_unidentified(separated))
      check_joint_separation(problem, theta, threads, separated);
    findings.insert(findings.end(), separated.begin(), separated.end());
  }
  check_identification(log, problem, theta, threads, findings);
}

// Reports the levels of each text context that occur in few rows. The encoder has the shares of the
// levels; a share of weighted rows is not a number of rows, so such a log is not checked.
void check_levels(const LoggedData& log, Findings& findings) {
  if (!log.weights().empty()) return;
  const auto rows = static_cast<double>(log.num_rows());
  for (const ContextColumn& column : log.encoder().contexts) {
    std::vector<LevelRows> levels;
    for (std::size_t i = 0; i < column.levels.size(); ++i) {
      levels.push_back({column.levels[i],
                        static_cast<std::size_t>(std::lround(rows * column.level_frequencies[i]))});
    }
    report_thin_levels(column.name, levels, findings);
  }
}

OutputFamily checked_family(OutputFamily family) {
  return family == OutputFamily::kBernoulli ? OutputFamily::kBernoulli : OutputFamily::kGaussian;
}

// Adds what check_weights() finds in the whole log. A large log is looked at only if some of its rows
// do not show already that there is nothing to find: what these rows identify, more rows identify too,
// and outcomes that no line separates in them are not separated in the log.
void check_weights_of_log(const LoggedData& log, OutputFamily family, int threads,
                          Findings& findings) {
  const SumTarget target{.family = checked_family(family)};
  if (log.num_rows() > kRowsSeenFirst) {
    const TakenRows some = spread_rows(log, target, kRowsSeenFirst);
    Findings in_some = findings;
    check_weights(*some.log, some.problem, threads, in_some);
    if (in_some.size() == findings.size()) return;
  }
  check_weights(log, whole_problem(log, target.family), threads, findings);
}

int threads_of(int threads) { return threads == 0 ? hardware_threads() : threads; }

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Findings find_unidentified(const LoggedData& log, OutputFamily family, int threads) {
  Findings findings;
  check_weights_of_log(log, family, threads_of(threads), findings);
  std::erase_if(findings,
                [](const Finding& finding) { return finding.severity != Severity::kUnidentified; });
  return findings;
}

Findings find_problems(const LoggedData& log, OutputFamily family, int threads) {
  Findings findings;
  if (family == OutputFamily::kBernoulli) check_size(log, findings);
  check_weights_of_log(log, family, threads_of(threads), findings);
  check_levels(log, findings);
  check_regions(log, threads_of(threads), findings);
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  return findings;
}

}  // namespace otss
