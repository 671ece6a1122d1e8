// Limited-memory BFGS (Nocedal & Wright 2006, ch. 7) with an optional preconditioner: a fixed
// approximation of the inverse Hessian in place of the usual multiple of the identity. With a
// Gauss–Newton matrix from a subsample as preconditioner it needs a tenth of the passes over the
// data (bench/RESULTS.md).
//
// Within bounds it is the two-metric projection method (Bertsekas 1982; with L-BFGS in Schmidt, Kim
// & Sra 2011): entries that a bound holds take no part in the quasi-Newton step of the others, and
// a step that would leave the box follows its boundary.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "optim/box.hpp"
#include "optim/objective.hpp"

namespace otss {

// How the gradient changed over one accepted step: what L-BFGS knows about the curvature.
struct CurvaturePair {
  std::vector<double> step;
  std::vector<double> gradient_change;
};

struct LbfgsOptions {
  int memory = 30;            // curvature pairs kept
  int max_evaluations = 500;  // of the objective
  // Stop when ||g||_inf <= gradient_tolerance * max(1, |f|).
  double gradient_tolerance = 1e-6;
  // Stop when the model's own estimate of what is left to gain, g'Hg / 2, is below value_tolerance
  // * |f| twice in a row. Unlike the gradient's size it does not depend on how the parameters are
  // scaled. 0: never.
  double value_tolerance = 0;
  // v <- P v for a symmetric positive definite P close to the inverse Hessian; empty: a multiple of
  // the identity.
  std::function<void(std::span<double> v)> precondition = {};
  // Pairs of an earlier run on (nearly) the same objective, oldest first: an f64 polish continues
  // an f32 run with them.
  std::vector<CurvaturePair> pairs = {};
  // The start is projected into it, and every gradient above is the projected one.
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
  std::vector<double> gradient;  // at an active bound minus its multiplier, pointing outwards
  StopReason reason = StopReason::kEvaluations;
  std::string message;  // why it stopped, a sentence with the deciding number
  int evaluations = 0;
  std::vector<TracePoint> trace;
  std::vector<CurvaturePair> pairs;

  bool converged() const { return reason == StopReason::kGradient || reason == StopReason::kValue; }
};

Minimum minimize(Objective& objective, std::span<const double> start, const LbfgsOptions& options);

}  // namespace otss
