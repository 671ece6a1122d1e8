// Computes the constants in the rate theorems for the one-dimensional family (rate_family.hpp).
// With these constants, the expected weight errors are known to first order in 1/n without
// simulation:
//
//   hard, M bins   floor / M² + variance · M / n
//   oracle gate    oracle_gate / n
//   joint          joint / n
//
// The first two errors come from parts A and B of the paper's Theorem "Hard-versus-soft rate
// separation", the third from the paper's Corollary "Weight error for the joint estimator". Errors
// are squared weights; a weight is the change of the linear predictor per unit of a factor.
#pragma once

#include <cstddef>

#include "lab/theory/rate_family.hpp"

namespace otss::internal {

struct RateConstants {
  // ‖Δβ‖² E[κ(X)²] / 12, where Δβ is the difference of the two experts, and κ(x) is the derivative
  // of the share α*(x). The error of M equal bins is at least floor / M², to first order in 1/M; if
  // α* is straight, no other regions have a smaller error.
  double floor = 0;
  // E tr I(X)^(-1), where I(x) is the Fisher information of one row with context x about the
  // weights.
  double variance = 0;
  // oracle_gate and joint are tr(G I^(-1)) of the two estimators. I is the Fisher information of
  // one row about all parameters θ of the estimator, and G = E[(dw/dθ)' (dw/dθ)].
  double oracle_gate = 0;
  double joint = 0;
  // tr I^(-1) of the joint estimator: n times the squared error of its gate and experts together.
  double joint_parameters = 0;
};

RateConstants rate_constants(RateShare form = RateShare::kStraight);

double expected_hard_error(const RateConstants& constants, std::size_t n, int regions);

// With M = width · n^(1/3) bins, the error of the hard estimator is C_h n^(-2/3). Returns C_h,
// computed without rounding M to a whole number.
double balanced_hard_constant(const RateConstants& constants, double width);

// Returns the `width` for which balanced_hard_constant() is smallest: (2 floor / variance)^(1/3).
// In the paper's notation, this `width` is M* / n^(1/3).
double best_region_width(const RateConstants& constants);

// Returns the sample size n above which soft_constant / n is less than hard_constant n^(-2/3).
double crossover(double hard_constant, double soft_constant);

}  // namespace otss::internal
