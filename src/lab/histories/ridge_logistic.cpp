#include "lab/histories/ridge_logistic.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

constexpr double kSmallDecrease = 1e-10;  // relative to the objective
constexpr int kHalvings = 20;

}  // namespace

double logistic_loss(double outcome, double predictor) {
  const double against = outcome > 0.5 ? -predictor : predictor;
  return std::max(against, 0.0) + std::log1p(std::exp(-std::abs(against)));
}

double RidgeLogistic::objective(const Eigen::VectorXd& c) const {
  const Eigen::VectorXd eta = offsets + rows.transpose() * c;
  double sum = precision * c.squaredNorm() / 2;
  for (Eigen::Index r = 0; r < eta.size(); ++r)
    sum += weights[r] * logistic_loss(outcomes[r], eta[r]);
  return sum;
}

Eigen::VectorXd RidgeLogistic::fit(Eigen::VectorXd c, int max_steps) const {
  double reached = objective(c);
  for (int step = 0; step < max_steps; ++step) {
    const Eigen::ArrayXd p = 1 / (1 + (-(offsets + rows.transpose() * c).array()).exp());
    const Eigen::VectorXd residual = (weights.array() * (outcomes.array() - p)).matrix();
    const Eigen::VectorXd curvature = (weights.array() * p * (1 - p)).matrix();
    Eigen::MatrixXd hessian = rows * curvature.asDiagonal() * rows.transpose();
    hessian.diagonal().array() += precision;
    Eigen::VectorXd move = hessian.llt().solve(rows * residual - precision * c);
    double next = objective(c + move);
    for (int halving = 0; halving < kHalvings && !(next <= reached); ++halving) {
      move /= 2;
      next = objective(c + move);
    }
    if (!(next <= reached)) return c;
    c += move;
    const double decrease = reached - next;
    reached = next;
    if (decrease <= kSmallDecrease * reached) return c;
  }
  return c;
}

}  // namespace otss::internal
