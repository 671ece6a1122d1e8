// What the rate theorems leave as constants, computed for the one-dimensional family: to first
// order in 1/n the weight errors are known without a single draw.
//
//   hard, M bins   floor / M² + variance · M / n       (paper: Theorem "Hard-versus-soft rate
//   oracle gate    oracle_gate / n                      separation", parts A and B)
//   joint          joint / n                           (Corollary "Weight error for the joint
//                                                       estimator")
//
// Errors are squared weights: a weight is a change of logit per unit of a factor.
#pragma once

#include <cstddef>

namespace otss {

struct RateConstants {
  double floor = 0;     // ‖Δβ‖² κ² / 12: equal bins meet the overlap floor with equality
  double variance = 0;  // E tr I(X)^(-1), I(x) the Fisher information of w in one row at x
  // tr(G I^(-1)): I the information of all parameters in one row, G the Gram matrix of what moving
  // them does to w(X).
  double oracle_gate = 0;
  double joint = 0;
};

RateConstants rate_constants();

double expected_hard_error(const RateConstants& constants, std::size_t n, int regions);

// With M = width · n^(1/3) bins, rounding aside, the hard error is C_h n^(-2/3); C_h:
double balanced_hard_constant(const RateConstants& constants, double width);

// The width that makes C_h smallest, (2 floor / variance)^(1/3): the paper's M* / n^(1/3).
double best_region_width(const RateConstants& constants);

// The n from which soft_constant / n is below hard_constant n^(-2/3).
double crossover(double hard_constant, double soft_constant);

}  // namespace otss
