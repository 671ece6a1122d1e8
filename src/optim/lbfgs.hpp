// Implements limited-memory BFGS (Nocedal & Wright 2006, ch. 7) with an optional preconditioner.
// The preconditioner is a fixed approximation of the inverse Hessian. It replaces the usual
// multiple of the identity. A good preconditioner is the inverse Gauss–Newton matrix of a
// subsample: with it, L-BFGS needs a tenth of the passes over the data (bench/RESULTS.md).
//
// With bounds, the method is the two-metric projection method (Bertsekas 1982; with L-BFGS:
// Schmidt, Kim & Sra 2011). The quasi-Newton step changes only the entries that are not held at a
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

inline constexpr double kNoiseOfDouble = 1e-12;

struct LbfgsOptions {
  int memory = 30;            // number of curvature pairs that are kept
  int max_evaluations = 500;  // largest number of evaluations of the objective
  // The search stops when ||g||_inf <= gradient_tolerance * max(1, |f|), where g is the gradient
  // and f is the value of the objective.
  double gradient_tolerance = 1e-6;
  // The search stops when the estimated remaining decrease is small twice in a row:
  //   g'Hg / 2 <= value_tolerance * |f|,   where H is the approximate inverse Hessian.
  // Unlike the norm of the gradient, g'Hg does not depend on the units of the parameters. If
  // value_tolerance is 0, this rule never stops the search.
  double value_tolerance = 0;
  // Rounding errors of the objective, as a share of it; 1e-12 are those of a sum in f64. Where they are
  // larger, the search also stops when they hide any further decrease: the estimated remaining one is
  // less than this share, and has not fallen by half since it was least, or no step decreases the
  // objective.
  double value_noise = kNoiseOfDouble;
  // Replaces v by P v, where P is symmetric, positive definite and close to the inverse Hessian. If
  // the function is empty, P is a multiple of the identity.
  std::function<void(std::span<double> v)> precondition = {};
  // Curvature pairs of an earlier search on (nearly) the same objective, oldest first. An f64
  // search that continues an f32 search starts with the pairs of the f32 search.
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
  // The gradient itself, which is not projected. Its entry at an active bound is the Lagrange
  // multiplier of that bound.
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
