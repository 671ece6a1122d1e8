// Makes one penalised fit of the routed experts (routed_objective.hpp) from one start.
//
// For the mixture, the fit is accelerated EM: each iteration of L-BFGS is an E step and a Newton M
// step. There are two reasons. The gradient of the mixture's loss equals the gradient of the
// complete-data loss under the responsibilities of an E step (Fisher's identity). And the
// preconditioner is the curvature of the M step. The L-BFGS memory corrects for the information
// that is lost because the experts are unobserved (Lange 1995, A quasi-Newton acceleration of the
// EM algorithm). As in EM, the objective never increases: the line search ensures this, and a check
// verifies it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/probabilities/routed_objective.hpp"
#include "model/maps/gates.hpp"

namespace otss::internal {

struct RoutedFit {
  std::vector<double> theta;
  double objective = 0;       // (summed loss + penalty) / total weight
  std::vector<double> trace;  // the objective after each iteration; never increases
  int evaluations = 0;        // number of passes over the rows
  std::string message;        // why the optimizer stopped
};

struct RoutedEffort {
  int num_threads = 1;
  double tolerance = 1e-9;  // the fit stops when the objective improves by less than this
  int max_evaluations = 400;
};

RoutedFit fit_routed(const Problem& problem, const Routing& routing, const Penalty& penalty,
                     const MixtureLayout& layout, std::span<const double> start,
                     const RoutedEffort& effort);

// Returns a fixed routing (kFixed) that sends each row to the expert with the largest share in the
// row's context.
Routing routed_by(const Problem& problem, const Gate& gate);

}  // namespace otss::internal
