#include "learn/mixture/gate_test.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/normal_law.hpp"
#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/mixture/squares_and_pairs.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The test uses at most this many rows, so that it stays quick.
constexpr std::size_t kGateTestRows = 10'000;
// At most this many squares and pairs are tested, and at most one for every so many rows or groups:
// their covariance is estimated from the same rows.
constexpr std::size_t kMostColumns = 200;
constexpr std::size_t kRowsPerColumn = 10;
constexpr int kMostTestedFactors = 200;
// If the gate fits, the test rejects it with this probability.
constexpr double kFalseAlarms = 0.01;
// The number of parts of the rows for the confirmation on held-out rows.
constexpr int kGateTestFolds = 5;

// The rows of the test. Each vector and each matrix has one entry or row per row of the sample.
struct TestedRows {
  MatrixXd added;       // the squares and pairs c
  MatrixXd factors;     // the factors z, centred
  VectorXd weights;     // the weights of the rows
  VectorXd outcomes;    // y
  VectorXd eta;         // the linear predictors of the model
  VectorXd residuals;   // weight · (y - E y)
  VectorXd curvatures;  // weight · curvature of the loss
  std::vector<std::uint32_t> groups;
  std::size_t num_groups = 0;

  int fold(Index row) const { return static_cast<int>(groups[row] % kGateTestFolds); }
};

// Numbers the groups of the chosen rows from 0 without gaps. Without groups, every row is a group.
void number_groups(std::span<const std::uint32_t> all, const std::vector<std::size_t>& chosen,
                   TestedRows& rows) {
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

TestedRows tested_rows(const Problem& problem, const MixtureLayout& layout,
                       std::span<const double> theta, std::span<const std::uint32_t> groups,
                       int num_threads) {
  std::vector<std::size_t> chosen;
  const Problem sample = subsample(problem, kGateTestRows, &chosen);
  const auto n = static_cast<Index>(sample.num_rows());
  TestedRows rows;
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
  rows.added = squares_and_pairs(contexts, rows.weights, static_cast<Index>(most));
  return rows;
}

// The score matrix U and what is needed to judge it. gate_test.hpp explains U, A and B.
struct Scores {
  std::vector<MatrixXd> of_fold;  // the part of U that the rows of each fold contribute
  MatrixXd score;                 // U, the sum over folds
  MatrixXd columns_variance;      // A, scaled to a mean diagonal entry of 1; its lower triangle
  MatrixXd factors_variance;      // B
  MatrixXd information;           // the sum over rows of curvature × z z'
};

// Returns c (y - E y) z' summed over the rows of each group, as M rows of num_groups × J entries.
MatrixXd sums_of_groups(const TestedRows& rows) {
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
void add_variances_of_rows(const TestedRows& rows, int num_threads, Scores& scores) {
  const VectorXd squares = rows.residuals.cwiseAbs2();
  const VectorXd by_factors = squares.cwiseProduct(rows.factors.rowwise().squaredNorm());
  const VectorXd by_columns = squares.cwiseProduct(rows.added.rowwise().squaredNorm());
  scores.columns_variance = lower_gram(rows.added, by_factors, num_threads);
  scores.factors_variance = rows.factors.transpose() * by_columns.asDiagonal() * rows.factors;
}

void add_variances_of_groups(const TestedRows& rows, Scores& scores) {
  const MatrixXd sums = sums_of_groups(rows);
  const Index num_factors = rows.factors.cols();
  scores.columns_variance = sums * sums.transpose();
  scores.factors_variance = MatrixXd::Zero(num_factors, num_factors);
  for (Index first = 0; first < sums.cols(); first += num_factors) {
    const auto own = sums.middleCols(first, num_factors);
    scores.factors_variance.noalias() += own.transpose() * own;
  }
}

Scores scores_of(const TestedRows& rows, int num_threads) {
  const Index num_columns = rows.added.cols(), num_factors = rows.factors.cols();
  Scores scores;
  scores.of_fold.assign(kGateTestFolds, MatrixXd::Zero(num_columns, num_factors));
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

// Returns the power of a symmetric matrix. Eigenvalues that are almost 0 count as small positive
// numbers, so that inverses exist.
MatrixXd power(const MatrixXd& matrix, double exponent) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  const VectorXd values =
      solver.eigenvalues().cwiseMax(1e-9 * solver.eigenvalues().maxCoeff()).array().pow(exponent);
  return solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose();
}

// A score matrix in units of its own noise, and the leading singular pair of this matrix.
class Whitened {
 public:
  explicit Whitened(const Scores& scores)
      : columns_(power(scores.columns_variance, -0.5)),
        factors_(power(scores.factors_variance, -0.5)),
        to_weights_(scores.information.ldlt().solve(power(scores.factors_variance, 0.5))) {}

  struct Pair {
    double square = 0;  // the square of the largest singular value
    VectorXd column;    // the left singular vector a
    VectorXd factor;    // the right singular vector b
  };
  // `share` is the share of the rows that the score matrix is a sum over.
  Pair leading(const MatrixXd& score, double share) const {
    const MatrixXd white = columns_ * score * factors_ / std::sqrt(share);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(white.transpose() * white);
    Pair pair;
    pair.square = solver.eigenvalues().maxCoeff();
    pair.factor = solver.eigenvectors().rightCols(1);
    pair.column = white * pair.factor / std::sqrt(pair.square);
    return pair;
  }

  // Without noise, white = signal a b' would be A^½ Γ I B^-½, where I is the information about the
  // weights. These functions return the two factors of Γ = (A^-½ a) (I^-1 B^½ b)' signal.
  VectorXd context_part(const Pair& pair) const { return columns_ * pair.column; }
  VectorXd weight_part(const Pair& pair) const { return to_weights_ * pair.factor; }

 private:
  MatrixXd columns_, factors_, to_weights_;
};

// The largest squared singular value of an M × J matrix of standard normal numbers has about the
// Tracy–Widom law with this centre and this scale (Johnstone 2001, Ma 2012).
double tracy_widom_value(double square, Index num_columns, Index num_factors) {
  const double a = std::sqrt(static_cast<double>(num_columns) - 0.5);
  const double b = std::sqrt(static_cast<double>(num_factors) - 0.5);
  return (square - (a + b) * (a + b)) / ((a + b) * std::cbrt(1 / a + 1 / b));
}

// Returns the probability that a Tracy–Widom variable exceeds `value`. The law is approximated by a
// shifted gamma law (Chiani 2014), and this by the cube of a normal variable (Wilson & Hilferty).
double tracy_widom_tail(double value) {
  constexpr double kShape = 46.446, kScale = 0.186054, kShift = 9.84801;
  const double root = std::cbrt(std::max(0.0, value + kShift) / (kShape * kScale));
  const double ninth = 1 / (9 * kShape);
  return normal_probability((1 - ninth - root) / std::sqrt(ninth));
}

// Returns the square of the signal in a matrix of standard normal numbers plus signal × a b', given
// the square of the largest singular value (Benaych-Georges & Nadakuditi 2012). Returns 0 if there
// is no signal that noise alone does not explain.
double squared_signal(double square, Index num_columns, Index num_factors) {
  const auto m = static_cast<double>(num_columns), j = static_cast<double>(num_factors);
  const double excess = square - m - j;
  const double root = excess * excess - 4 * m * j;
  return excess > 0 && root > 0 ? (excess + std::sqrt(root)) / 2 : 0;
}

// Returns the mean gain on held-out rows: the rows of each fold are predicted with the change of the
// weights that the other folds' rows suggest. The change is shrunk as is optimal for a matrix of
// rank one in noise (Gavish & Donoho 2017).
double held_out_gain(OutputFamily family, const TestedRows& rows, const Scores& scores,
                     const Whitened& whitened) {
  constexpr double kTrainingShare = 1 - 1.0 / kGateTestFolds;
  std::vector<VectorXd> context_parts, weight_parts;
  for (const MatrixXd& held_out : scores.of_fold) {
    const auto pair = whitened.leading(scores.score - held_out, kTrainingShare);
    const double signal = squared_signal(pair.square, rows.added.cols(), rows.factors.cols());
    const double noise = static_cast<double>(rows.added.cols() * rows.factors.cols());
    const double shrunk =
        signal > 0 ? (signal - noise / signal) / std::sqrt(pair.square * kTrainingShare) : 0;
    context_parts.push_back(whitened.context_part(pair) * shrunk);
    weight_parts.push_back(whitened.weight_part(pair));
  }
  double gain = 0;
  for (Index i = 0; i < rows.eta.size(); ++i) {
    const int fold = rows.fold(i);
    const double change =
        rows.added.row(i).dot(context_parts[fold]) * rows.factors.row(i).dot(weight_parts[fold]);
    gain += rows.weights[i] * (family.loss(rows.eta[i], rows.outcomes[i]) -
                               family.loss(rows.eta[i] + change, rows.outcomes[i]));
  }
  return gain / rows.weights.sum();
}

}  // namespace

std::optional<GateTest> test_gate(const Problem& problem, const MixtureLayout& layout,
                                  std::span<const double> theta,
                                  std::span<const std::uint32_t> groups, int num_threads) {
  if (layout.num_factors > kMostTestedFactors || layout.num_contexts == 0) return std::nullopt;
  const TestedRows rows = tested_rows(problem, layout, theta, groups, num_threads);
  if (rows.added.cols() == 0) return std::nullopt;
  const Scores scores = scores_of(rows, num_threads);
  const Whitened whitened(scores);
  const Index num_columns = rows.added.cols(), num_factors = rows.factors.cols();
  const auto pair = whitened.leading(scores.score, 1);
  GateTest test{.columns = static_cast<std::size_t>(num_columns)};
  test.p_value = tracy_widom_tail(tracy_widom_value(pair.square, num_columns, num_factors));
  if (test.p_value >= kFalseAlarms) return test;
  test.gain = held_out_gain(problem.family(), rows, scores, whitened);
  const double signal = std::sqrt(squared_signal(pair.square, num_columns, num_factors));
  if (test.gain <= 0 || signal == 0) return test;
  const VectorXd discrepancy = signal * whitened.weight_part(pair);
  test.discrepancy.assign(discrepancy.begin(), discrepancy.end());
  return test;
}

}  // namespace otss::internal
