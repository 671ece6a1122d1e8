#include "learn/mixture/covariance.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/linear_predictors.hpp"
#include "engine/mixture_row.hpp"
#include "learn/problem/factor_information.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Computing the curvature takes rows × parameters² operations. If all rows would take more
// operations than this, only a subsample of the rows is used.
constexpr double kCurvatureWork = 2e10;

// The matrix of all groups' gradients is kept in memory. If it would have more entries than this,
// only every n-th group is used.
constexpr double kGradientEntries = 2e7;

// A ridge, relative to the diagonal, that makes the matrix invertible. Without the ridge the matrix
// can be singular for two reasons. Columns may be collinear. And a single expert's intercept has
// the same effect as the baseline's intercept.
constexpr double kCovarianceRidge = 1e-10;

MatrixXd information(const Problem& problem, const MixtureLayout& layout,
                     std::span<const double> theta, Mixed mixed, int num_threads) {
  const auto size = static_cast<double>(layout.size());
  const double rows = kCurvatureWork / (size * size);
  if (static_cast<double>(problem.num_rows()) <= rows)
    return curvature(problem, theta, layout, num_threads, mixed);
  const Problem some = subsample(problem, static_cast<std::size_t>(rows));
  return curvature(some, theta, layout, num_threads, mixed) *
         (problem.rows.total() / some.rows.total());
}

MatrixXd inverse(MatrixXd hessian) {
  const Index size = hessian.rows();
  hessian.diagonal().array() += kCovarianceRidge * hessian.trace() / static_cast<double>(size);
  return hessian.ldlt().solve(MatrixXd::Identity(size, size));
}

// Returns the sum over groups of the outer product of the group's gradient with itself.
MatrixXd group_gradients(const Problem& problem, const MixtureLayout& layout,
                         std::span<const double> theta, Mixed mixed,
                         std::span<const std::uint32_t> groups) {
  const std::size_t num_groups = 1 + *std::ranges::max_element(groups);
  const auto most = static_cast<std::size_t>(kGradientEntries / static_cast<double>(layout.size()));
  const std::size_t step = (num_groups + most - 1) / most;
  const auto size = static_cast<Index>(layout.size());
  MatrixXd gradients = MatrixXd::Zero(size, static_cast<Index>((num_groups + step - 1) / step));
  MixtureRow row(layout, theta, mixed);
  std::vector<double> derivative(layout.size());
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.weight(i) == 0 || groups[i] % step != 0) continue;
    row.evaluate(problem.features->tile(i / kTileRows) + i % kTileRows);
    row.derivative(problem.weight(i) * problem.family().slope(row.eta(), problem.outcome(i)),
                   derivative);
    gradients.col(static_cast<Index>(groups[i] / step)) +=
        Eigen::Map<const Eigen::VectorXd>(derivative.data(), size);
  }
  const auto taken = static_cast<double>(gradients.cols());
  const double correction = taken > 1 ? taken / (taken - 1) : 1;
  return gradients * gradients.transpose() * (correction * static_cast<double>(num_groups) / taken);
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

FitCovariance fit_covariance(const Problem& problem, const Penalty& penalty,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const std::uint32_t> groups, int num_threads, Mixed mixed) {
  const MatrixXd fisher = information(problem, layout, theta, mixed, num_threads);
  MatrixXd hessian = fisher;
  penalty.add_curvature(layout, hessian);
  FitCovariance result{inverse(std::move(hessian)), information_ratio(fisher, layout)};
  if (groups.empty()) {
    result.matrix *= dispersion(problem, layout, theta, num_threads);
  } else {
    const MatrixXd outer = group_gradients(problem, layout, theta, mixed, groups);
    result.matrix = (result.matrix * outer * result.matrix).eval();
  }
  return result;
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
  // The divisor is the number of degrees of freedom, but at least total / 2. The limit is needed
  // because row weights need not be counts of rows: their sum may be less than the number of
  // parameters.
  const double total = problem.rows.total();
  return pearson / std::max(total - static_cast<double>(layout.size()), total / 2);
}

}  // namespace otss::internal
