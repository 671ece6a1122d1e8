// Implements limited-memory BFGS (Nocedal & Wright 2006, ch. 7) with an optional preconditioner,
// which is a fixed approximation of the inverse Hessian and replaces the usual multiple of the
// identity. With the inverse Gauss–Newton matrix of a subsample as preconditioner, L-BFGS needs a
// tenth of the passes over the data (bench/RESULTS.md).
//
// With bounds, the method is the two-metric projection method (Bertsekas 1982; with L-BFGS:
// Schmidt, Kim & Sra 2011): the quasi-Newton step involves only the entries that are not held at a
// bound, and each trial point is projected into the box.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "optim/box.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

// An accepted step and the change of the gradient between its two ends. L-BFGS learns the curvature
// from such pairs.
struct CurvaturePair {
  std::vector<double> step;
  std::vector<double> gradient_change;
};

struct LbfgsOptions {
  int memory = 30;            // number of curvature pairs that are kept
  int max_evaluations = 500;  // largest number of evaluations of the objective
  // The search stops when ||g||_inf <= gradient_tolerance * max(1, |f|).
  double gradient_tolerance = 1e-6;
  // The search stops when the estimated remaining decrease is small twice in a row:
  //   g'Hg / 2 <= value_tolerance * |f|,   where H is the approximate inverse Hessian.
  // Unlike the norm of the gradient, g'Hg does not depend on the scale of the parameters. With
  // value_tolerance 0, this rule never stops the search.
  double value_tolerance = 0;
  // Replaces v by P v, where P is symmetric, positive definite and close to the inverse Hessian. If
  // the function is empty, P is a multiple of the identity.
  std::function<void(std::span<double> v)> precondition = {};
  // Curvature pairs of an earlier run on (nearly) the same objective, oldest first. An f64 run that
  // continues an f32 run starts with the pairs of the latter.
  std::vector<CurvaturePair> pairs = {};
  // Bounds on the entries of x. The start is moved into the box, and the stopping rules above use
  // the projected gradient (Box::projected_gradient) as g.
  Box box = {};
};

enum class StopReason { kGradient, kValue, kLineSearch, kEvaluations, kNotFinite };

struct TracePoint {
  int evaluations;
  double value;
  double gradient_norm;  // infinity norm of the gradient; with bounds, of the projected gradient
};

struct Minimum {
  std::vector<double> x;
  double value = 0;
  // The gradient is not projected: an entry at an active bound is the Lagrange multiplier of that
  // bound.
  std::vector<double> gradient;
  StopReason reason = StopReason::kEvaluations;
  std::string message;  // why the search stopped, with the number that decided it
  int evaluations = 0;
  std::vector<TracePoint> trace;
  std::vector<CurvaturePair> pairs;

  bool converged() const { return reason == StopReason::kGradient || reason == StopReason::kValue; }
};

Minimum minimize(Objective& objective, std::span<const double> start, const LbfgsOptions& options);

}  // namespace otss::internal
