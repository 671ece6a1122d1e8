#include "learn/mixture/score_matrix.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// At most this many rows are used, so that the tests stay quick.
constexpr std::size_t kScoreRows = 10'000;
// At most this many columns are added, and at most one for every so many rows or groups.
constexpr std::size_t kMostColumns = 200;
constexpr std::size_t kRowsPerColumn = 10;

// Numbers the groups of the chosen rows from 0 without gaps. Without groups, every row is a group.
void number_groups(std::span<const std::uint32_t> all, const std::vector<std::size_t>& chosen,
                   ScoreRows& rows) {
  rows.groups.resize(chosen.size());
  std::iota(rows.groups.begin(), rows.groups.end(), 0U);
  rows.num_groups = chosen.size();
  if (all.empty()) return;
  constexpr auto kUnseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(1 + *std::ranges::max_element(all), kUnseen);
  rows.num_groups = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::uint32_t& own = number[all[chosen[i]]];
    if (own == kUnseen) own = static_cast<std::uint32_t>(rows.num_groups++);
    rows.groups[i] = own;
  }
}

// Returns c (y - E y) z' summed over the rows of each group, as M rows of num_groups × J entries.
MatrixXd sums_of_groups(const ScoreRows& rows) {
  const Index num_factors = rows.factors.cols();
  MatrixXd sums =
      MatrixXd::Zero(rows.added.cols(), static_cast<Index>(rows.num_groups) * num_factors);
  for (Index i = 0; i < rows.added.rows(); ++i) {
    sums.middleCols(rows.groups[i] * num_factors, num_factors) +=
        rows.residuals[i] * rows.added.row(i).transpose() * rows.factors.row(i);
  }
  return sums;
}

// Returns the lower triangle of columns' · diag(weights) · columns, in blocks of columns at the same
// time. What is above the diagonal has no meaning.
MatrixXd lower_gram(const MatrixXd& columns, const VectorXd& weights, int num_threads) {
  constexpr Index kBlock = 24;
  const Index count = columns.cols();
  const MatrixXd weighted = columns.transpose() * weights.asDiagonal();
  MatrixXd gram = MatrixXd::Zero(count, count);
  parallel_for((count + kBlock - 1) / kBlock, num_threads, [&](std::size_t block) {
    const Index first = static_cast<Index>(block) * kBlock;
    const Index width = std::min(kBlock, count - first);
    gram.block(first, first, count - first, width).noalias() =
        weighted.bottomRows(count - first) * columns.middleCols(first, width);
  });
  return gram;
}

// Computes A and B, unscaled, if every row is a group. This is the same as for groups, only faster.
void add_variances_of_rows(const ScoreRows& rows, int num_threads, ScoreMatrix& scores) {
  const VectorXd squares = rows.residuals.cwiseAbs2();
  const VectorXd by_factors = squares.cwiseProduct(rows.factors.rowwise().squaredNorm());
  const VectorXd by_columns = squares.cwiseProduct(rows.added.rowwise().squaredNorm());
  scores.columns_variance = lower_gram(rows.added, by_factors, num_threads);
  scores.factors_variance = rows.factors.transpose() * by_columns.asDiagonal() * rows.factors;
}

void add_variances_of_groups(const ScoreRows& rows, ScoreMatrix& scores) {
  const MatrixXd sums = sums_of_groups(rows);
  const Index num_factors = rows.factors.cols();
  scores.columns_variance = sums * sums.transpose();
  scores.factors_variance = MatrixXd::Zero(num_factors, num_factors);
  for (Index first = 0; first < sums.cols(); first += num_factors) {
    const auto own = sums.middleCols(first, num_factors);
    scores.factors_variance.noalias() += own.transpose() * own;
  }
}

}  // namespace

ScoreRows score_rows(const Problem& problem, const MixtureLayout& layout,
                     std::span<const double> theta, std::span<const std::uint32_t> groups,
                     const AddedColumns& columns, int num_threads) {
  std::vector<std::size_t> chosen;
  const Problem sample = subsample(problem, kScoreRows, &chosen);
  const auto n = static_cast<Index>(sample.num_rows());
  ScoreRows rows;
  number_groups(groups, chosen, rows);
  MatrixXd contexts(n, layout.num_contexts);
  rows.factors.resize(n, layout.num_factors);
  rows.eta.resize(n);
  rows.residuals.resize(n);
  rows.curvatures.resize(n);
  rows.weights.resize(n);
  rows.outcomes.resize(n);
  linear_predictors(*sample.features, layout, theta, num_threads,
                    std::span(rows.eta.data(), rows.eta.size()));
  for (Index i = 0; i < n; ++i) {
    for (int j = 0; j < layout.num_contexts; ++j) contexts(i, j) = sample.features->at(i, j);
    for (int j = 0; j < layout.num_factors; ++j)
      rows.factors(i, j) = sample.features->at(i, layout.num_contexts + j);
    rows.weights[i] = sample.weight(i);
    rows.outcomes[i] = sample.outcome(i);
    rows.residuals[i] = -rows.weights[i] * sample.family().slope(rows.eta[i], rows.outcomes[i]);
    rows.curvatures[i] = rows.weights[i] * sample.family().curvature(rows.eta[i]);
  }
  const Eigen::RowVectorXd means = rows.weights.transpose() * rows.factors / rows.weights.sum();
  rows.factors.rowwise() -= means;
  const std::size_t most = std::min(kMostColumns, rows.num_groups / kRowsPerColumn);
  rows.added = columns(contexts, rows.weights, static_cast<Index>(most));
  return rows;
}

ScoreMatrix score_matrix(const ScoreRows& rows, int num_threads) {
  const Index num_columns = rows.added.cols(), num_factors = rows.factors.cols();
  ScoreMatrix scores;
  scores.of_fold.assign(ScoreRows::kFolds, MatrixXd::Zero(num_columns, num_factors));
  for (Index i = 0; i < rows.added.rows(); ++i) {
    scores.of_fold[rows.fold(i)].noalias() +=
        rows.added.row(i).transpose() * (rows.residuals[i] * rows.factors.row(i));
  }
  scores.score = MatrixXd::Zero(num_columns, num_factors);
  for (const MatrixXd& part : scores.of_fold) scores.score += part;
  if (rows.num_groups == rows.groups.size()) {
    add_variances_of_rows(rows, num_threads, scores);
  } else {
    add_variances_of_groups(rows, scores);
  }
  const auto count = static_cast<double>(num_columns);
  scores.columns_variance *= count / scores.columns_variance.trace();
  scores.factors_variance /= count;
  scores.information = rows.factors.transpose() * rows.curvatures.asDiagonal() * rows.factors;
  return scores;
}

MatrixXd matrix_power(const MatrixXd& matrix, double exponent) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  const VectorXd values =
      solver.eigenvalues().cwiseMax(1e-9 * solver.eigenvalues().maxCoeff()).array().pow(exponent);
  return solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace otss::internal
