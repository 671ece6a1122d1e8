// One penalised fit of routed experts (routed_objective.hpp) from one start.
//
// For the mixture this is EM, accelerated: by Fisher's identity the gradient of the observed-data
// loss is that of the complete-data one under the responsibilities of an E step, and the curvature
// that preconditions it is the M step's. An iteration of L-BFGS is then an E step and a Newton
// M step, corrected by the memory for the information that the unknown experts take away (Lange
// 1995, A quasi-Newton acceleration of the EM algorithm). The line search keeps the loss from
// rising, as EM does; that is checked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/methods/routing/routed_objective.hpp"
#include "model/maps/gates.hpp"

namespace otss {

struct RoutedFit {
  std::vector<double> theta;
  double objective = 0;       // mean loss + penalty / total weight
  std::vector<double> trace;  // the objective after each iteration, never rising
  int evaluations = 0;        // passes over the rows
  std::string message;        // why it stopped
};

struct RoutedEffort {
  int num_threads = 1;
  double tolerance = 1e-9;  // of the objective, left to gain
  int max_evaluations = 400;
};

RoutedFit fit_routed(const Problem& problem, const Routing& routing, const Penalty& penalty,
                     const MixtureLayout& layout, std::span<const double> start,
                     const RoutedEffort& effort);

// The rows' experts under a one-hot gate.
Routing routed_by(const Problem& problem, const Gate& gate);

}  // namespace otss
