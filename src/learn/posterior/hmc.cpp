#include "learn/posterior/hmc.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

// Returns the first step size. For a standard normal in `size` dimensions this step size gives an
// acceptance of about 80 %.
double first_step(std::size_t size) { return 1.2 / std::pow(static_cast<double>(size), 0.25); }

using Eigen::VectorXd;

}  // namespace

HmcChain::HmcChain(std::vector<double> start, const Eigen::MatrixXd& hessian,
                   const HmcOptions& options)
    : options_(options), position_(std::move(start)), step_(first_step(position_.size())) {
  const Eigen::LLT<Eigen::MatrixXd> factor(hessian);
  whitener_ = Eigen::MatrixXd::Identity(hessian.rows(), hessian.cols());
  factor.matrixL().solveInPlace(whitener_);
  log_step_center_ = std::log(step_);
}

void HmcChain::adapt(double acceptance) {
  constexpr double kShrinkage = 0.1, kDelay = 10, kDecay = 0.75;
  ++adapted_;
  const double weight = 1 / (adapted_ + kDelay);
  mean_shortfall_ += weight * (options_.target_acceptance - acceptance - mean_shortfall_);
  const double log_step = log_step_center_ - std::sqrt(adapted_) / kShrinkage * mean_shortfall_;
  const double forget = std::pow(adapted_, -kDecay);
  mean_log_step_ += forget * (log_step - mean_log_step_);
  step_ = std::exp(log_step);
}

void HmcChain::freeze() {
  if (adapted_ > 0) step_ = std::exp(mean_log_step_);
  frozen_ = true;
}

void HmcChain::move(Objective& objective, Rng& rng) {
  const auto size = static_cast<Eigen::Index>(position_.size());
  VectorXd velocity(size);
  for (double& v : velocity) v = rng.normal();
  VectorXd theta = Eigen::Map<const VectorXd>(position_.data(), size);
  VectorXd gradient(size);
  const auto whiten = [this](const VectorXd& v) -> VectorXd {
    return whitener_.triangularView<Eigen::Lower>() * v;
  };
  const auto unwhiten = [this](const VectorXd& v) -> VectorXd {
    return whitener_.transpose().triangularView<Eigen::Upper>() * v;
  };
  const auto evaluate = [&] {
    return objective.evaluate({theta.data(), position_.size()},
                              {gradient.data(), position_.size()});
  };
  value_ = evaluate();
  const double energy = value_ + 0.5 * velocity.squaredNorm();
  const double step = step_ * (1 + options_.step_jitter * rng.uniform(-1, 1));

  double value = value_;
  velocity -= 0.5 * step * whiten(gradient);
  for (int s = 0; s < options_.leapfrog_steps; ++s) {
    theta += step * unwhiten(velocity);
    value = evaluate();
    if (!std::isfinite(value)) break;
    const bool last = s + 1 == options_.leapfrog_steps;
    velocity -= (last ? 0.5 : 1.0) * step * whiten(gradient);
  }
  const double excess = value + 0.5 * velocity.squaredNorm() - energy;
  const double acceptance = std::isfinite(excess) ? std::min(1.0, std::exp(-excess)) : 0;
  if (rng.uniform() < acceptance) {
    std::copy(theta.begin(), theta.end(), position_.begin());
    value_ = value;
  }
  if (frozen_) {
    ++moves_;
    acceptance_ += acceptance;
  } else {
    adapt(acceptance);
  }
}

}  // namespace otss::internal
