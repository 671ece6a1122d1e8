#include <algorithm>
#include <cmath>
#include <optional>

#include "base/threads.hpp"
#include "data/check/check_levels.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/checks/check_identification.hpp"
#include "learn/mixture/pooled.hpp"
#include "otss/learn/check.hpp"

namespace otss::internal {
namespace {

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

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Findings find_unidentified(const LoggedData& log, OutputFamily family, int threads) {
  const int num_threads = threads == 0 ? hardware_threads() : threads;
  const bool is_binary = family == OutputFamily::kBernoulli;
  const Problem problem =
      whole_problem(log, is_binary ? OutputFamily::kBernoulli : OutputFamily::kGaussian);
  Findings findings;
  std::vector<double> theta;  // stays empty if outcomes are not 0 or 1
  if (is_binary) {
    check_single_factors(log, findings);
    theta = fit_pooled(problem, num_threads).fit.theta;
    const bool separated = std::ranges::any_of(findings, [](const Finding& finding) {
      return finding.severity == Severity::kUnidentified;
    });
    if (!separated) check_joint_separation(problem, theta, num_threads, findings);
  }
  check_identification(log, problem, theta, num_threads, findings);
  std::erase_if(findings,
                [](const Finding& finding) { return finding.severity != Severity::kUnidentified; });
  return findings;
}

}  // namespace otss
