// The score matrix of weights that also depend on columns of the context: what tests of the gate and
// bounds on hidden differences are computed from.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"

namespace otss::internal {

// Rows of a log beside the predictions of a model. Each vector and each matrix has one entry or row
// per row.
struct ScoreRows {
  Eigen::MatrixXd added;       // the columns c
  Eigen::MatrixXd factors;     // the factors z, centred
  Eigen::VectorXd weights;     // the weights of the rows
  Eigen::VectorXd outcomes;    // y
  Eigen::VectorXd eta;         // the linear predictors of the model
  Eigen::VectorXd residuals;   // weight · (y - E y)
  Eigen::VectorXd curvatures;  // weight · curvature of the loss
  std::vector<std::uint32_t> groups;
  std::size_t num_groups = 0;

  static constexpr int kFolds = 5;  // whole groups are in one fold
  int fold(Eigen::Index row) const { return static_cast<int>(groups[row] % kFolds); }
};

// Makes the columns c, at most `most`, from the contexts and the weights of the rows.
using AddedColumns = std::function<Eigen::MatrixXd(
    const Eigen::MatrixXd& contexts, const Eigen::VectorXd& weights, Eigen::Index most)>;

// Returns a sample of the rows beside the predictions of the mixture with the parameters `theta`.
// `groups` has the group of each row of the problem, or is empty. There is at most one column for
// every ten rows or groups, because their covariance is estimated from the same rows.
ScoreRows score_rows(const Problem& problem, const MixtureLayout& layout,
                     std::span<const double> theta, std::span<const std::uint32_t> groups,
                     const AddedColumns& columns, int num_threads);

// Let the weights be w(x) + Γ'c, where Γ is a matrix of M × J numbers. The score at Γ = 0 is
//
//   U = sum over rows of c (y - E y) z'            covariance of U ≈ A ⊗ B,
//
// with A and B estimated from the sums of the groups.
struct ScoreMatrix {
  std::vector<Eigen::MatrixXd> of_fold;  // the part of U that the rows of each fold contribute
  Eigen::MatrixXd score;                 // U, the sum over folds
  Eigen::MatrixXd columns_variance;  // A, scaled to a mean diagonal entry of 1; its lower triangle
  Eigen::MatrixXd factors_variance;  // B
  Eigen::MatrixXd information;       // the sum over rows of curvature × z z'
};

ScoreMatrix score_matrix(const ScoreRows& rows, int num_threads);

// Returns the power of a symmetric matrix, of which the lower triangle is read. Eigenvalues that are
// almost 0 count as small positive numbers, so that inverses exist.
Eigen::MatrixXd matrix_power(const Eigen::MatrixXd& matrix, double exponent);

}  // namespace otss::internal
