#include "learn/mixture/smooth_rank.hpp"

#include <Eigen/Eigenvalues>

#include "learn/mixture/smooth_rows.hpp"

namespace otss::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Summed second moments, J×J: of the factors, and of the part of w(x) that depends on the context.
struct WeightMoments {
  MatrixXd factors, weights;
};

WeightMoments moments_of(const Problem& problem, const MatrixXd& slopes) {
  const auto num_factors = slopes.cols();
  WeightMoments sums{MatrixXd::Zero(num_factors, num_factors),
                     MatrixXd::Zero(num_factors, num_factors)};
  SmoothRow row(problem);
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    if (problem.weight(i) == 0) continue;
    row.read(i);
    const VectorXd z = row.factors().head(num_factors);
    const VectorXd w = slopes.transpose() * row.context().head(slopes.rows());
    sums.factors.noalias() += problem.weight(i) * z * z.transpose();
    sums.weights.noalias() += problem.weight(i) * w * w.transpose();
  }
  return sums;
}

}  // namespace

SmoothFit along_one_direction(const Problem& problem, SmoothFit fit) {
  auto slopes = fit.coefficients.topLeftCorner(problem.num_contexts, problem.num_factors());
  const WeightMoments sums = moments_of(problem, slopes);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> of_factors(sums.factors);
  // Collinear factors have directions without variance. The floor keeps the inverse root finite.
  constexpr double kLeastVariance = 1e-9;
  const VectorXd deviations =
      of_factors.eigenvalues().cwiseMax(kLeastVariance * sums.factors.trace()).cwiseSqrt();
  const MatrixXd& axes = of_factors.eigenvectors();
  const MatrixXd root = axes * deviations.asDiagonal() * axes.transpose();
  const MatrixXd inverse_root = axes * deviations.cwiseInverse().asDiagonal() * axes.transpose();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> changes(root * sums.weights * root);
  const VectorXd largest = changes.eigenvectors().rightCols(1);
  slopes = (slopes * (root * largest) * (largest.transpose() * inverse_root)).eval();
  return fit;
}

}  // namespace otss::internal
