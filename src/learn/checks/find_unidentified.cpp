#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.hpp"
#include "data/check/check_levels.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/checks/check_identification.hpp"
#include "learn/mixture/pooled.hpp"
#include "otss/learn/check.hpp"

namespace otss::internal {
namespace {

// Converts a factor from standardised units to the log's units. LoggedData keeps factors as f32, so
// the result is rounded to about seven digits.
double restored(const FactorColumn& factor, float standardised) {
  const double value = factor.center + factor.scale * static_cast<double>(standardised);
  const double unit = 1e-6 * std::max(std::abs(factor.center), factor.scale);
  const double step = std::pow(10, std::floor(std::log10(unit)));
  return std::round(value / step) * step;
}

// Checks whether single factors determine the outcome, one factor after the other.
void check_single_factors(const LoggedData& log, Findings& findings) {
  UsableLog usable{.rows = {}, .contexts = {}, .factors = {0}};
  for (std::size_t row = 0; row < log.num_rows(); ++row) {
    if (log.weights().empty() || log.weights()[row] > 0) usable.rows.push_back(row);
  }
  RawLog raw;
  raw.num_rows = log.num_rows();
  raw.layout.outcome = 1;
  raw.columns.resize(2);
  raw.columns[1].values.assign(log.outcomes().begin(), log.outcomes().end());
  for (int j = 0; j < log.num_factors(); ++j) {
    const FactorColumn& factor = log.encoder().factors[j];
    raw.layout.roles.factors = {factor.name};
    raw.columns[0].name = factor.name;
    raw.columns[0].values.resize(log.num_rows());
    for (std::size_t row = 0; row < log.num_rows(); ++row)
      raw.columns[0].values[row] = restored(factor, log.features().at(row, log.num_contexts() + j));
    check_separation(usable, raw, findings);
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
