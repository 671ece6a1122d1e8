// Tests whether the gate of a fitted mixture fits: whether squares and pairs of the context columns
// would change the weights.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/model/weight_checks.hpp"

namespace otss::internal {

// Tests the gate of the mixture with the parameters `theta`. The discrepancy in the result is in
// standardised units. `groups` has the group of each row of the problem, or is empty. Returns nothing
// if there are too few rows (or groups), too many factors, or no context column whose squares vary.
//
// Let c be the squares and pairs of the context, from which linear functions of the context are
// subtracted, scaled to unit variance, and z the standardised factors, centred. The weights of the
// alternative are w(x) + Γ'c, where Γ is a matrix. The score at Γ = 0 is
//
//   U = sum over rows of c (y - E y) z'            covariance of U ≈ A ⊗ B,
//
// with A and B estimated from the sums of the groups. The statistic is the largest singular value of
// A^-½ U B^-½: it looks for the one direction of the factors, and the one function of the context,
// in which the weights are wrong most. If the gate fits, its square has the Tracy–Widom law
// (Johnstone 2001).
std::optional<GateTest> test_gate(const Problem& problem, const MixtureLayout& layout,
                                  std::span<const double> theta,
                                  std::span<const std::uint32_t> groups, int num_threads);

}  // namespace otss::internal
