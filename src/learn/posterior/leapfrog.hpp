// Follows the trajectories of Hamiltonian Monte Carlo (hmc.hpp) by the leapfrog method.
//
// Trajectories are computed in coordinates u in which the density is nearly a standard normal:
//
//   theta = L^-T u
//
// where L L' is an approximate Hessian of the objective (a Gauss–Newton matrix plus the prior's
// curvature). Then one step size suits all directions, and a trajectory of length about pi/2 ends
// at a point that is nearly independent of its start.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>

#include "optim/objective.hpp"

namespace otss::internal {

struct Trajectory {
  Eigen::VectorXd theta;     // the end
  Eigen::VectorXd velocity;  // at the end, in the coordinates u
  double first_value = 0;    // the objective at the start
  // The objective at the end. Not finite if the objective was not finite somewhere on the way.
  double last_value = 0;
};

class Leapfrog {
 public:
  virtual ~Leapfrog() = default;

  // Begins to follow a trajectory of `num_steps` steps of size `step` that starts at `theta` with
  // `velocity`, which is in the coordinates u.
  virtual void begin(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                     int num_steps) = 0;

  // Returns the trajectory that was begun. A GPU follows it until then, while the caller does
  // something else.
  virtual Trajectory end() = 0;

  Trajectory follow(std::span<const double> theta, const Eigen::VectorXd& velocity, double step,
                    int num_steps) {
    begin(theta, velocity, step, num_steps);
    return end();
  }
};

// Returns L^-1, a lower triangular matrix.
Eigen::MatrixXd whitener_of(const Eigen::MatrixXd& hessian);

// Evaluates the objective, which must live longer, once per step.
std::unique_ptr<Leapfrog> make_leapfrog(Objective& objective, const Eigen::MatrixXd& hessian);

}  // namespace otss::internal
