#include "learn/mixture/covariance.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/threads.hpp"
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

// The curvature is computed from at most this many rows, spread evenly over the log, and scaled up
// to all rows. The relative error of an entry is then about 1/sqrt(rows), 0.3 %, which does not show
// in an interval.
constexpr double kCovarianceRows = 100'000;

// The gradients of so many groups are kept in memory that their matrix has at most this many
// entries.
constexpr double kGradientEntries = 2e7;
// The groups are divided into this many parts, whatever the number of threads.
constexpr std::size_t kGroupParts = 16;

// A ridge, relative to the diagonal, that makes the matrix invertible. Without the ridge the matrix
// can be singular for two reasons. Columns may be collinear. And a single expert's intercept has
// the same effect as the baseline's intercept.
constexpr double kCovarianceRidge = 1e-10;

MatrixXd information(const Problem& problem, const MixtureLayout& layout,
                     std::span<const double> theta, Mixed mixed, int num_threads) {
  const auto size = static_cast<double>(layout.size());
  const double rows = std::min(kCurvatureWork / (size * size), kCovarianceRows);
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

// The rows of a log in the order of their groups.
struct RowsByGroup {
  std::vector<std::size_t> first;  // for each group, where its rows begin in `rows`; then their end
  std::vector<std::size_t> rows;

  explicit RowsByGroup(std::span<const std::uint32_t> groups)
      : first(2 + *std::ranges::max_element(groups), 0), rows(groups.size()) {
    for (const std::uint32_t group : groups) ++first[group + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < groups.size(); ++i) rows[next[groups[i]]++] = i;
  }
  std::size_t num_groups() const { return first.size() - 1; }
};

// Returns the summed gradients of the groups [begin, end), one column per group.
MatrixXd gradients_of_groups(const Problem& problem, const MixtureLayout& layout,
                             std::span<const double> theta, std::span<const double> slopes,
                             Mixed mixed, const RowsByGroup& by_group, std::size_t begin,
                             std::size_t end, int num_threads) {
  const auto size = static_cast<Index>(layout.size());
  MatrixXd gradients = MatrixXd::Zero(size, static_cast<Index>(end - begin));
  parallel_for(kGroupParts, num_threads, [&](std::size_t part) {
    MixtureRow row(layout, theta, mixed);
    std::vector<double> derivative(layout.size());
    const std::size_t last = (part + 1) * (end - begin) / kGroupParts;
    for (std::size_t g = part * (end - begin) / kGroupParts; g < last; ++g) {
      for (std::size_t at = by_group.first[begin + g]; at < by_group.first[begin + g + 1]; ++at) {
        const std::size_t i = by_group.rows[at];
        if (problem.weight(i) == 0) continue;
        row.evaluate(problem.features->tile(i / kTileRows) + i % kTileRows);
        row.derivative(slopes[i], derivative);
        gradients.col(static_cast<Index>(g)) +=
            Eigen::Map<const Eigen::VectorXd>(derivative.data(), size);
      }
    }
  });
  return gradients;
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

MatrixXd group_outer_products(const Problem& problem, const MixtureLayout& layout,
                              std::span<const double> theta, std::span<const double> slopes,
                              std::span<const std::uint32_t> groups, int num_threads, Mixed mixed) {
  const RowsByGroup by_group(groups);
  const auto count = static_cast<double>(by_group.num_groups());
  const double correction = count > 1 ? count / (count - 1) : 1;
  const auto most = static_cast<std::size_t>(kGradientEntries / static_cast<double>(layout.size()));
  const auto size = static_cast<Index>(layout.size());
  MatrixXd sum = MatrixXd::Zero(size, size);
  for (std::size_t begin = 0; begin < by_group.num_groups(); begin += most) {
    const MatrixXd gradients =
        gradients_of_groups(problem, layout, theta, slopes, mixed, by_group, begin,
                            std::min(begin + most, by_group.num_groups()), num_threads);
    sum.noalias() += gradients * gradients.transpose() * correction;
  }
  return sum;
}

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

// Returns the derivative of each row's weighted loss by eta.
std::vector<double> loss_slopes(const Problem& problem, const MixtureLayout& layout,
                                std::span<const double> theta, Mixed mixed, int num_threads) {
  std::vector<double> slopes(problem.num_rows());
  linear_predictors(*problem.features, layout, theta, num_threads, slopes, mixed);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double weight = problem.weight(i);
    slopes[i] = weight == 0 ? 0 : weight * problem.family().slope(slopes[i], problem.outcome(i));
  }
  return slopes;
}

}  // namespace

FitCovariance fit_covariance(const Problem& problem, const Penalty& penalty,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const std::uint32_t> groups, int num_threads, Mixed mixed) {
  const MatrixXd fisher = information(problem, layout, theta, mixed, num_threads);
  if (!groups.empty()) {
    const auto slopes = loss_slopes(problem, layout, theta, mixed, num_threads);
    return clustered_covariance(
        fisher, group_outer_products(problem, layout, theta, slopes, groups, num_threads, mixed),
        penalty, layout);
  }
  MatrixXd hessian = fisher;
  penalty.add_curvature(layout, hessian);
  FitCovariance result{inverse(std::move(hessian)), information_ratio(fisher, layout)};
  result.matrix *= dispersion(problem, layout, theta, num_threads);
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
