// Limited-memory BFGS (Nocedal & Wright 2006, ch. 7) with an optional preconditioner: a fixed
// approximation of the inverse Hessian instead of the usual multiple of the identity. With the
// inverse Gauss–Newton matrix of a subsample as preconditioner, it needs a tenth of the passes over
// the data (bench/RESULTS.md).
//
// With bounds it is the two-metric projection method (Bertsekas 1982; with L-BFGS: Schmidt, Kim &
// Sra 2011): the quasi-Newton step involves only the entries that are not held at a bound, and each
// trial point is projected into the box.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "optim/box.hpp"
#include "optim/objective.hpp"

namespace otss {

// An accepted step and the change of the gradient over it, from which L-BFGS learns the curvature.
struct CurvaturePair {
  std::vector<double> step;
  std::vector<double> gradient_change;
};

struct LbfgsOptions {
  int memory = 30;            // curvature pairs kept
  int max_evaluations = 500;  // of the objective
  // Stop when ||g||_inf <= gradient_tolerance * max(1, |f|).
  double gradient_tolerance = 1e-6;
  // Stop when the estimated remaining decrease is small twice in a row:
  //   g'Hg / 2 <= value_tolerance * |f|,   H the approximate inverse Hessian.
  // Unlike the gradient's norm, it does not depend on the scale of the parameters. 0: never stop.
  double value_tolerance = 0;
  // v <- P v for a symmetric positive definite P close to the inverse Hessian. Empty: P is a
  // multiple of the identity.
  std::function<void(std::span<double> v)> precondition = {};
  // Pairs of an earlier run on (nearly) the same objective, oldest first. An f64 run that continues
  // an f32 run starts with the pairs of the latter.
  std::vector<CurvaturePair> pairs = {};
  // The start is projected into the box; the gradients in the stopping rules above are projected.
  Box box = {};
};

enum class StopReason { kGradient, kValue, kLineSearch, kEvaluations, kNotFinite };

struct TracePoint {
  int evaluations;
  double value;
  double gradient_norm;  // infinity norm, of the projected gradient within bounds
};

struct Minimum {
  std::vector<double> x;
  double value = 0;
  std::vector<double> gradient;  // not projected: its entry at an active bound is the multiplier
  StopReason reason = StopReason::kEvaluations;
  std::string message;  // why it stopped, with the number that decided it
  int evaluations = 0;
  std::vector<TracePoint> trace;
  std::vector<CurvaturePair> pairs;

  bool converged() const { return reason == StopReason::kGradient || reason == StopReason::kValue; }
};

Minimum minimize(Objective& objective, std::span<const double> start, const LbfgsOptions& options);

}  // namespace otss
