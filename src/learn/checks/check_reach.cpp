#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "data/log/tile_matrix.hpp"
#include "learn/checks/check_feasible.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// If at least this share of the decisions is outside the logged range, the finding is a warning and
// not a note.
constexpr double kMany = 0.05;
// A decision counts as outside the logged range only if it exceeds this range by more than this
// tolerance. The tolerance is needed because logged factors are rounded to f32, and feasible
// factors are not.
constexpr double kRounding = 1e-5;

double percent(std::size_t part, std::size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Severity severity(std::size_t part, std::size_t whole) {
  return percent(part, whole) >= 100 * kMany ? Severity::kWarning : Severity::kNote;
}

// Returns the logged factors in standardised units; one column per row of the log.
MatrixXd logged_factors(const LoggedData& log) {
  MatrixXd factors(log.num_factors(), static_cast<Index>(log.num_rows()));
  for (Index i = 0; i < factors.cols(); ++i) {
    for (int j = 0; j < log.num_factors(); ++j)
      factors(j, i) = log.features().at(static_cast<std::size_t>(i), log.num_contexts() + j);
  }
  return factors;
}

// Returns the factors of the feasible decisions in the log's standardised units; one column per
// decision.
MatrixXd feasible_factors(const LoggedData& log, const UsableLog& usable,
                          const FeasibleSet& feasible) {
  MatrixXd factors(log.num_factors(), static_cast<Index>(feasible.size()));
  for (Index i = 0; i < factors.cols(); ++i) {
    for (Index j = 0; j < factors.rows(); ++j) {
      const FactorColumn& column = log.encoder().factors[j];
      factors(j, i) = (feasible.factors_of(i)[usable.factors[j]] - column.center) / column.scale;
    }
  }
  return factors;
}

// Returns the squared Mahalanobis distances of the columns of `factors` from the mean of the log;
// `spread` is the Cholesky decomposition of the covariance of the log's factors.
Eigen::RowVectorXd distances(const MatrixXd& factors, const Eigen::LLT<MatrixXd>& spread) {
  const MatrixXd whitened = spread.matrixL().solve(factors);
  return whitened.colwise().squaredNorm();
}

// Converts a logged value from standardised units to the log's units. The standardised value was
// rounded to f32, so a result that is 0 up to this rounding error is returned as 0.
double in_log_units(const FactorColumn& factor, double standardised) {
  const double value = factor.center + factor.scale * standardised;
  const double rounding = 1e-6 * (std::abs(factor.center) + std::abs(factor.scale * standardised));
  return std::abs(value) < rounding ? 0 : value;
}

using Flags = Eigen::Array<bool, 1, Eigen::Dynamic>;

void report_factor(const FactorColumn& factor, const Flags& beyond, double low, double high,
                   const FeasibleSet& feasible, Findings& findings) {
  const std::size_t num_open = feasible.size();
  const auto count = static_cast<std::size_t>(beyond.count());
  if (count == 0) return;
  const auto first = std::find(beyond.begin(), beyond.end(), true) - beyond.begin();
  findings.push_back(
      {severity(count, num_open),
       "outside_range",
       fmt::format(
           "in {:.3g} % of the {} decisions in '{}', factor '{}' is outside the logged range, "
           "{:.6g} to {:.6g} (the first such decision is '{}'), so their scores are extrapolated; "
           "add outcomes of such decisions to the log, or leave these decisions out of the table",
           percent(count, num_open), num_open, feasible.table(), factor.name,
           in_log_units(factor, low), in_log_units(factor, high),
           feasible.id(static_cast<std::size_t>(first))),
       {factor.name}});
}

void report_share(std::size_t count, const FeasibleSet& feasible, const char* kind,
                  const char* where, Findings& findings) {
  if (count == 0) return;
  const std::size_t num_open = feasible.size();
  findings.push_back({severity(count, num_open),
                      kind,
                      fmt::format("{:.3g} % of the decisions in '{}' {}", percent(count, num_open),
                                  feasible.table(), where),
                      {}});
}

}  // namespace

void check_reach(const LoggedData& log, const UsableLog& usable, const FeasibleSet& feasible,
                 Findings& findings) {
  const MatrixXd logged = logged_factors(log);
  const MatrixXd open = feasible_factors(log, usable, feasible);
  Flags outside = Flags::Constant(open.cols(), false);
  for (Index j = 0; j < open.rows(); ++j) {
    const double low = logged.row(j).minCoeff();
    const double high = logged.row(j).maxCoeff();
    const Flags beyond =
        open.row(j).array() < low - kRounding || open.row(j).array() > high + kRounding;
    outside = outside || beyond;
    report_factor(log.encoder().factors[j], beyond, low, high, feasible, findings);
  }
  report_share(
      static_cast<std::size_t>(outside.count()), feasible, "outside_range",
      "have at least one factor outside its logged range; add outcomes of such decisions to "
      "the log, or leave these decisions out of the table",
      findings);

  MatrixXd spread = logged * logged.transpose() / static_cast<double>(logged.cols());
  spread.diagonal().array() += 1e-6;  // makes the matrix invertible even if factors are collinear
  const Eigen::LLT<MatrixXd> factored(spread);
  const double farthest = distances(logged, factored).maxCoeff();
  const Flags strange = distances(open, factored).array() > farthest * (1 + kRounding) && !outside;
  report_share(
      static_cast<std::size_t>(strange.count()), feasible, "outside_combination",
      "have every factor in its logged range, but lie farther from the mean of the logged "
      "decisions than any logged decision, so their scores are extrapolated; add outcomes of such "
      "decisions to the log, or leave these decisions out of the table",
      findings);
}

}  // namespace otss::internal
