// Hamiltonian Monte Carlo (Neal 2011): draws from exp(-objective), whatever the objective is.
//
// Moves happen in coordinates in which the target is nearly a standard normal: theta = L^-T u,
// where L L' is an approximate Hessian of the objective (a Gauss–Newton matrix plus the prior's).
// Then one step size suits every direction, and a trajectory of length about pi/2 forgets where it
// started.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "optim/objective.hpp"

namespace otss {

struct HmcOptions {
  int leapfrog_steps = 8;
  double step_jitter = 0.2;  // relative: trajectories must not resonate with the target's periods
  double target_acceptance = 0.8;  // of the step size while it adapts
};

class HmcChain {
 public:
  HmcChain(std::vector<double> start, const Eigen::MatrixXd& hessian, const HmcOptions& options);

  // From here on the step size stays: a chain that adapts forever has no stationary law.
  void freeze();

  // One trajectory, accepted or not. Leaves exp(-objective) invariant once frozen.
  void move(Objective& objective, Rng& rng);

  std::span<const double> position() const { return position_; }
  double value() const { return value_; }  // of the objective at the position, when last moved
  double mean_acceptance() const { return moves_ > 0 ? acceptance_ / moves_ : 0; }  // since frozen

 private:
  void adapt(double acceptance);

  HmcOptions options_;
  std::vector<double> position_;
  double value_ = 0;
  Eigen::MatrixXd whitener_;  // L^-1, lower triangular
  double step_ = 0;
  bool frozen_ = false;
  int moves_ = 0;
  double acceptance_ = 0;
  // Dual averaging (Hoffman & Gelman 2014, algorithm 5).
  int adapted_ = 0;
  double log_step_center_ = 0, mean_shortfall_ = 0, mean_log_step_ = 0;
};

}  // namespace otss
