#include "learn/mixture/hidden_differences.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/normal_law.hpp"
#include "learn/mixture/score_matrix.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The probability of a smaller sum of squares at the variance that hidden_variance() returns.
constexpr double kSmallerSum = 0.025;
constexpr int kMostFactors = 200;

// Returns the largest principal components of the contexts, at unit variance.
MatrixXd principal_components(const MatrixXd& contexts, const VectorXd& weights, Index most) {
  const double total = weights.sum();
  const Eigen::RowVectorXd means = weights.transpose() * contexts / total;
  const MatrixXd centred = contexts.rowwise() - means;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(centred.transpose() * weights.asDiagonal() *
                                                       centred / total);
  const VectorXd& variances = solver.eigenvalues();
  constexpr double kNoVariation = 1e-6;  // of the largest component
  const Index varying = (variances.array() > kNoVariation * variances.maxCoeff()).count();
  const Index count = std::min(varying, most);
  MatrixXd components = centred * solver.eigenvectors().rightCols(count);
  for (Index m = 0; m < count; ++m)
    components.col(m) /= std::sqrt(variances[variances.size() - count + m]);
  return components;
}

// The quantile of the chi-squared law: exact up to two degrees of freedom, where the approximation of
// Wilson & Hilferty fails for small p; that approximation from three on.
double chi_squared_quantile(double p, double freedom) {
  if (freedom == 1) return std::pow(normal_quantile((1 + p) / 2), 2);
  if (freedom == 2) return -2 * std::log1p(-p);
  const double ninth = 2 / (9 * freedom);
  const double root = 1 - ninth + normal_quantile(p) * std::sqrt(ninth);
  return freedom * std::pow(root, 3);
}

}  // namespace

std::optional<double> hidden_variance(const Problem& problem, const MixtureLayout& layout,
                                      std::span<const double> theta,
                                      std::span<const std::uint32_t> groups, int num_threads) {
  if (layout.num_contexts == 0) return 0;
  if (layout.num_factors > kMostFactors) return std::nullopt;
  const ScoreRows rows =
      score_rows(problem, layout, theta, groups, principal_components, num_threads);
  const auto num_columns = static_cast<double>(rows.added.cols());
  if (num_columns == 0) return std::nullopt;
  const ScoreMatrix scores = score_matrix(rows, num_threads);
  const MatrixXd to_factors = matrix_power(scores.factors_variance, -0.5);
  const double squares =
      (matrix_power(scores.columns_variance, -0.5) * scores.score * to_factors).squaredNorm();
  const auto num_factors = static_cast<double>(layout.num_factors);
  const double information = (scores.information * to_factors).squaredNorm() / num_factors;
  const double smallest = chi_squared_quantile(kSmallerSum, num_columns * num_factors);
  return num_columns * std::max(0.0, squares / smallest - 1) / information;
}

}  // namespace otss::internal
