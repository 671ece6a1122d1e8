// The constants in the rate theorems, computed for the one-dimensional family. They give the
// expected weight errors to first order in 1/n without simulation:
//
//   hard, M bins   floor / M² + variance · M / n       (Theorem "Hard-versus-soft rate separation",
//   oracle gate    oracle_gate / n                      parts A and B)
//   joint          joint / n                           (Corollary "Weight error for the joint
//                                                       estimator")
//
// Errors are squared weights; a weight is the change of the linear predictor per unit of a factor.
#pragma once

#include <cstddef>

namespace otss::internal {

struct RateConstants {
  double floor = 0;  // ‖Δβ‖² κ² / 12: the least error of a hard partition; equal bins attain it
  double variance = 0;  // E tr I(X)^(-1), I(x) the Fisher information about w of one row at x
  // tr(G I^(-1)), where I is the information of one row about all parameters θ and
  // G = E[(dw/dθ)' (dw/dθ)].
  double oracle_gate = 0;
  double joint = 0;
};

RateConstants rate_constants();

double expected_hard_error(const RateConstants& constants, std::size_t n, int regions);

// Returns the constant C_h in the hard error C_h n^(-2/3) with M = width · n^(1/3) bins, M not
// rounded.
double balanced_hard_constant(const RateConstants& constants, double width);

// Returns the width that minimises C_h, (2 floor / variance)^(1/3): the paper's M* / n^(1/3).
double best_region_width(const RateConstants& constants);

// Returns the n above which soft_constant / n is less than hard_constant n^(-2/3).
double crossover(double hard_constant, double soft_constant);

}  // namespace otss::internal
