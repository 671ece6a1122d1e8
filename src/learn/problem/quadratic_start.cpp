#include "learn/problem/quadratic_start.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "engine/linear_predictors.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kQuadraticRows = 20'000;  // more rows would hardly change the direction
constexpr int kRounds = 10;

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct SecondMoments {
  std::vector<MatrixXd> of_factor;  // sum of (y - E y) z_j x x'
  double variance = 0;              // sum of the variances of y
};

SecondMoments second_moments(const Problem& problem, std::span<const double> pooled) {
  const int p = problem.num_contexts;
  const int num_factors = problem.num_factors();
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, problem.layout(1), pooled, 1, eta);
  SecondMoments moments{std::vector<MatrixXd>(num_factors, MatrixXd::Zero(p, p))};
  for (std::size_t t = 0; t < problem.features->num_tiles(); ++t) {
    const Eigen::Map<const Eigen::MatrixXf> tile(problem.features->tile(t), kTileRows,
                                                 p + num_factors);
    const MatrixXd x = tile.leftCols(p).cast<double>();
    VectorXd residual = VectorXd::Zero(kTileRows);
    for (std::size_t i = 0; i < kTileRows && t * kTileRows + i < problem.num_rows(); ++i) {
      const double row = problem.rows[t * kTileRows + i];
      const double probability = 1 / (1 + std::exp(-eta[t * kTileRows + i]));
      residual[i] = std::abs(row) * ((row > 0 ? 1.0 : 0.0) - probability);
      moments.variance += std::abs(row) * probability * (1 - probability);
    }
    for (int j = 0; j < num_factors; ++j) {
      const VectorXd scale = residual.cwiseProduct(tile.col(p + j).cast<double>());
      moments.of_factor[j].noalias() += x.transpose() * scale.asDiagonal() * x;
    }
  }
  return moments;
}

// Returns the eigenvector whose eigenvalue has the largest absolute value.
VectorXd dominant_direction(const MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(symmetric);
  Eigen::Index at = 0;
  solver.eigenvalues().cwiseAbs().maxCoeff(&at);
  return solver.eigenvectors().col(at);
}

}  // namespace

QuadraticPair find_quadratic_pair(const Problem& whole, std::span<const double> pooled) {
  const SecondMoments moments = second_moments(
      whole.num_rows() > kQuadraticRows ? subsample(whole, kQuadraticRows) : whole, pooled);
  const int num_factors = whole.num_factors();
  const auto mixed = [&](const VectorXd& v) {
    MatrixXd sum = MatrixXd::Zero(whole.num_contexts, whole.num_contexts);
    for (int j = 0; j < num_factors; ++j) sum += v[j] * moments.of_factor[j];
    return sum;
  };
  const auto along = [&](const VectorXd& u) {
    VectorXd v(num_factors);
    for (int j = 0; j < num_factors; ++j) v[j] = u.dot(moments.of_factor[j] * u);
    return v;
  };
  // The loop improves u and v in turn. It starts once from each factor, because a single start may
  // miss the best product q(x) v (quadratic_start.hpp).
  VectorXd direction, difference = VectorXd::Zero(num_factors);
  for (int j = 0; j < num_factors; ++j) {
    VectorXd u = dominant_direction(moments.of_factor[j]);
    for (int round = 0; round < kRounds; ++round) u = dominant_direction(mixed(along(u)));
    const VectorXd v = along(u);
    if (j > 0 && v.norm() <= difference.norm()) continue;
    direction = u;
    difference = v;
  }
  difference /= std::sqrt(2.0) * moments.variance;
  return {{direction.data(), direction.data() + direction.size()},
          {difference.data(), difference.data() + difference.size()}};
}

}  // namespace otss::internal
