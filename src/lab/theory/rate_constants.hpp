// Computes the constants in the rate theorems for the one-dimensional family. With these constants,
// the expected weight errors are known to first order in 1/n without simulation:
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
  // E tr I(X)^(-1), where I(x) is the Fisher information of one row at x about w.
  double variance = 0;
  // oracle_gate and joint are tr(G I^(-1)) of the two estimators, where I is the information of one
  // row about all parameters θ of the estimator, and G = E[(dw/dθ)' (dw/dθ)].
  double oracle_gate = 0;
  double joint = 0;
};

RateConstants rate_constants();

double expected_hard_error(const RateConstants& constants, std::size_t n, int regions);

// With M = width · n^(1/3) bins, the error of the hard estimator is C_h n^(-2/3). Returns C_h,
// computed without rounding M to a whole number.
double balanced_hard_constant(const RateConstants& constants, double width);

// Returns the `width` for which balanced_hard_constant() is smallest: (2 floor / variance)^(1/3). In
// the paper it is M* / n^(1/3).
double best_region_width(const RateConstants& constants);

// Returns the sample size n above which soft_constant / n is less than hard_constant n^(-2/3).
double crossover(double hard_constant, double soft_constant);

}  // namespace otss::internal
