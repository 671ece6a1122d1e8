#include "learn/mixture/gate_test.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/normal_law.hpp"
#include "learn/mixture/score_matrix.hpp"
#include "learn/mixture/squares_and_pairs.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostTestedFactors = 200;
// If the gate fits, the test rejects it with this probability.
constexpr double kFalseAlarms = 0.01;

// A score matrix in units of its own noise, and the leading singular pair of this matrix.
class Whitened {
 public:
  explicit Whitened(const ScoreMatrix& scores)
      : columns_(matrix_power(scores.columns_variance, -0.5)),
        factors_(matrix_power(scores.factors_variance, -0.5)),
        to_weights_(scores.information.ldlt().solve(matrix_power(scores.factors_variance, 0.5))) {}

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
double held_out_gain(OutputFamily family, const ScoreRows& rows, const ScoreMatrix& scores,
                     const Whitened& whitened) {
  constexpr double kTrainingShare = 1 - 1.0 / ScoreRows::kFolds;
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
  const ScoreRows rows = score_rows(problem, layout, theta, groups, squares_and_pairs, num_threads);
  if (rows.added.cols() == 0) return std::nullopt;
  const ScoreMatrix scores = score_matrix(rows, num_threads);
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
