#include "learn/mixture/covariance.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/group_scores.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/problem/factor_information.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Computing the curvature takes rows × parameters² operations. If all rows would take more
// operations than this, only a subsample of the rows is used.
constexpr double kCurvatureWork = 2e10;

// The curvature is computed from at most this many rows, spread evenly over the log, and scaled up
// to all rows. The relative error of an entry is then about 1/sqrt(rows), 0.3 %, which does not show
// in an interval.
constexpr double kCovarianceRows = 100'000;
// The same limit for a large log, whose rows are copied for it. The relative error of an entry is
// about 0.5 %, half as much in a standard error.
constexpr double kLargeCovarianceRows = 50'000;

// A ridge, relative to the diagonal, that makes the matrix invertible. Without the ridge the matrix
// can be singular for two reasons. Columns may be collinear. And a single expert's intercept has
// the same effect as the baseline's intercept.
constexpr double kCovarianceRidge = 1e-10;

// Returns how many rows the curvature is computed from.
std::size_t rows_for_information(const MixtureLayout& layout, double most) {
  const auto size = static_cast<double>(layout.size());
  return static_cast<std::size_t>(std::min(kCurvatureWork / (size * size), most));
}

MatrixXd information(const Problem& problem, const MixtureLayout& layout,
                     std::span<const double> theta, Mixed mixed, int num_threads) {
  const std::size_t rows = rows_for_information(layout, kCovarianceRows);
  if (problem.num_rows() <= rows) return curvature(problem, theta, layout, num_threads, mixed);
  const Problem some = subsample(problem, rows);
  return curvature(some, theta, layout, num_threads, mixed) *
         (problem.rows.total() / some.rows.total());
}

MatrixXd information(const LargeProblem& problem, const SumRequest& at, int num_threads) {
  const std::size_t rows = rows_for_information(at.layout, kLargeCovarianceRows);
  if (problem.facts().num_rows <= rows) return gauss_newton(problem.rows(), at);
  const TakenRows some = problem.spread(rows);
  return curvature(some.problem, at.theta, at.layout, num_threads, at.mixed) *
         (problem.facts().total_weight / some.problem.rows.total());
}

MatrixXd inverse(MatrixXd hessian) {
  const Index size = hessian.rows();
  hessian.diagonal().array() += kCovarianceRidge * hessian.trace() / static_cast<double>(size);
  return hessian.ldlt().solve(MatrixXd::Identity(size, size));
}

// Returns the number of directions in which the context columns do not vary, such as the sum of all
// levels of a text column. The baseline's part of the information shows them.
Index constant_directions(const MatrixXd& information, const MixtureLayout& layout) {
  constexpr double kNoVariation = 1e-9;  // relative to the direction of largest variation
  const auto first = static_cast<Index>(layout.baseline());
  const Index size = layout.num_contexts + 1;
  const MatrixXd baseline = information.block(first, first, size, size);
  const Eigen::VectorXd values = baseline.selfadjointView<Eigen::Lower>().eigenvalues();
  return (values.array() < kNoVariation * values.maxCoeff()).count();
}

double information_ratio(const MatrixXd& information, const MixtureLayout& layout) {
  // The gate's parameters and the experts' weights come first. The baseline's parameters and the
  // experts' intercepts come last, because they are projected out.
  std::vector<Index> order;
  for (std::size_t i = 0; i < layout.baseline(); ++i) order.push_back(static_cast<Index>(i));
  for (int k = 0; k < layout.num_experts; ++k) {
    for (int j = 0; j < layout.num_factors; ++j)
      order.push_back(static_cast<Index>(layout.expert(k)) + j);
  }
  const auto known = static_cast<Index>(order.size());
  for (int j = 0; j <= layout.num_contexts; ++j)
    order.push_back(static_cast<Index>(layout.baseline()) + j);
  for (int k = 0; k < layout.num_experts; ++k)
    order.push_back(static_cast<Index>(layout.expert(k)) + layout.num_factors);
  const MatrixXd ordered = information(order, order);
  MatrixXd rest = schur_complement(ordered, 0, known, known, ordered.rows() - known);
  const Eigen::VectorXd scale = rest.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  rest = scale.asDiagonal() * rest * scale.asDiagonal();
  const Eigen::VectorXd values = rest.selfadjointView<Eigen::Lower>().eigenvalues();
  // In a direction in which no context varies, the gate's parameters have no effect on any share,
  // so it does not matter that the log says nothing about them. The eigenvalues are in order.
  const Index without_effect = (layout.num_experts - 1) * constant_directions(information, layout);
  const Index least = std::min(without_effect, values.size() - 1);
  return std::max(0.0, values[least]) / values.maxCoeff();
}

}  // namespace

FitCovariance clustered_covariance(const MatrixXd& information, const MatrixXd& outer_products,
                                   const Penalty& penalty, const MixtureLayout& layout) {
  MatrixXd hessian = information;
  MatrixXd errors = outer_products;
  penalty.add_curvature(layout, hessian);
  penalty.add_curvature(layout, errors);
  FitCovariance result{inverse(std::move(hessian)), information_ratio(information, layout)};
  result.matrix = (result.matrix * errors * result.matrix).eval();
  return result;
}

namespace {

FitCovariance independent_covariance(const MatrixXd& fisher, const Penalty& penalty,
                                     const MixtureLayout& layout, double dispersion) {
  MatrixXd hessian = fisher;
  penalty.add_curvature(layout, hessian);
  FitCovariance result{inverse(std::move(hessian)), information_ratio(fisher, layout)};
  result.matrix *= dispersion;
  return result;
}

// Divides Pearson's statistic by the number of degrees of freedom, but at least by total / 2. The
// limit is needed because row weights need not be counts of rows: their sum may be less than the
// number of parameters.
double per_freedom(double pearson, double total, const MixtureLayout& layout) {
  return pearson / std::max(total - static_cast<double>(layout.size()), total / 2);
}

}  // namespace

FitCovariance fit_covariance(const Problem& problem, const Penalty& penalty,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const std::uint32_t> groups, int num_threads, Mixed mixed) {
  const MatrixXd fisher = information(problem, layout, theta, mixed, num_threads);
  if (groups.empty()) {
    return independent_covariance(fisher, penalty, layout,
                                  dispersion(problem, layout, theta, num_threads));
  }
  const GroupedRows rows{*problem.features, problem.rows, groups};
  const auto slopes = loss_slopes(rows, problem.outcomes, layout, theta, mixed, num_threads);
  return clustered_covariance(fisher,
                              group_outer_products(rows, layout, theta, slopes, num_threads, mixed),
                              penalty, layout);
}

FitCovariance fit_covariance(const LargeProblem& problem, const Penalty& penalty,
                             const SumRequest& at, int num_threads) {
  const MatrixXd fisher = information(problem, at, num_threads);
  if (problem.facts().has_groups)
    return clustered_covariance(fisher, problem.rows().group_scores(at), penalty, at.layout);
  const bool mean_is_enough = problem.target().family == OutputFamily::kBernoulli;
  const double dispersion = mean_is_enough ? 1
                                           : per_freedom(pearson(problem.rows(), at),
                                                         problem.facts().total_weight, at.layout);
  return independent_covariance(fisher, penalty, at.layout, dispersion);
}

double dispersion(const Problem& problem, const MixtureLayout& layout,
                  std::span<const double> theta, int num_threads) {
  const OutputFamily family = problem.family();
  if (family == OutputFamily::kBernoulli) return 1;
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, layout, theta, num_threads, eta);
  double pearson = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (problem.weight(i) == 0) continue;
    const double error = problem.outcome(i) - family.mean(eta[i]);
    pearson += problem.weight(i) * error * error / family.curvature(eta[i]);
  }
  return per_freedom(pearson, problem.rows.total(), layout);
}

}  // namespace otss::internal
