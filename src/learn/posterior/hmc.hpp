// Draws from the density proportional to exp(-objective) by Hamiltonian Monte Carlo (Neal 2011). The
// trajectories are computed by a Leapfrog, on the processor or on a GPU.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/posterior/leapfrog.hpp"

namespace otss::internal {

struct HmcOptions {
  int leapfrog_steps = 8;
  // The step size of each trajectory is changed at random by up to this share. With a fixed step
  // size, trajectories could end near their start again and again.
  double step_jitter = 0.2;
  double target_acceptance = 0.8;  // mean acceptance to which the step size adapts
};

class HmcChain {
 public:
  HmcChain(std::vector<double> start, const HmcOptions& options);

  // Stops the adaptation of the step size. Call this before the draws are used: while a chain
  // adapts, it has no stationary distribution.
  void freeze();

  // Makes one trajectory and accepts or rejects its end. After freeze() such a move leaves the
  // density exp(-objective) of the leapfrog invariant. All moves must have the same `rng`: a move
  // draws the first numbers of the next one while a GPU follows its trajectory.
  void move(Leapfrog& leapfrog, Rng& rng);

  std::span<const double> position() const { return position_; }
  double value() const { return value_; }  // the objective at the position after the last move
  // The mean acceptance of the moves after freeze().
  double mean_acceptance() const { return moves_ > 0 ? acceptance_ / moves_ : 0; }

 private:
  void adapt(double acceptance);
  void draw_next(Rng& rng);

  HmcOptions options_;
  std::vector<double> position_;
  // Of the next trajectory. Empty before the first.
  Eigen::VectorXd velocity_;
  double jitter_ = 0;
  double value_ = 0;
  double step_ = 0;
  bool frozen_ = false;
  int moves_ = 0;
  double acceptance_ = 0;
  // The state of the dual averaging that adapts the step size (Hoffman & Gelman 2014, algorithm 5).
  int adapted_ = 0;
  double log_step_center_ = 0, mean_shortfall_ = 0, mean_log_step_ = 0;
};

}  // namespace otss::internal
