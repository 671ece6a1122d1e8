#include "learn/posterior/hmc.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

// Returns the first step size. For a standard normal in `size` dimensions this step size gives an
// acceptance of about 80 %.
double first_step(std::size_t size) { return 1.2 / std::pow(static_cast<double>(size), 0.25); }

}  // namespace

HmcChain::HmcChain(std::vector<double> start, const HmcOptions& options)
    : options_(options), position_(std::move(start)), step_(first_step(position_.size())) {
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

void HmcChain::draw_next(Rng& rng) {
  velocity_.resize(static_cast<Eigen::Index>(position_.size()));
  for (double& v : velocity_) v = rng.normal();
  jitter_ = options_.step_jitter * rng.uniform(-1, 1);
}

void HmcChain::move(Leapfrog& leapfrog, Rng& rng) {
  if (velocity_.size() == 0) draw_next(rng);
  leapfrog.begin(position_, velocity_, step_ * (1 + jitter_), options_.leapfrog_steps);
  const double first_kinetic = 0.5 * velocity_.squaredNorm();
  const double to_accept = rng.uniform();
  draw_next(rng);
  const Trajectory end = leapfrog.end();
  value_ = end.first_value;
  const double energy = value_ + first_kinetic;
  const double excess = end.last_value + 0.5 * end.velocity.squaredNorm() - energy;
  const double acceptance = std::isfinite(excess) ? std::min(1.0, std::exp(-excess)) : 0;
  if (to_accept < acceptance) {
    std::copy(end.theta.begin(), end.theta.end(), position_.begin());
    value_ = end.last_value;
  }
  if (frozen_) {
    ++moves_;
    acceptance_ += acceptance;
  } else {
    adapt(acceptance);
  }
}

}  // namespace otss::internal
