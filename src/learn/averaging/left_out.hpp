// Predicts each row by penalised fits without this row, without fitting again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/averaging/distill.hpp"

namespace otss::internal {

// Returns eta_i of a penalised fit to all rows of `problem` but row i, for each row i. It is one
// Newton step from the fit to all rows (Rad & Maleki 2020):
//
//   eta_i + h_i l'_i / (1 - h_i v_i),    h_i = J_i' H^-1 J_i,   J_i = d eta_i / d theta
//
// Here l'_i and v_i are the first derivative and the curvature of the row's loss by eta_i, and H is
// the penalised Gauss–Newton matrix of the fit.
std::vector<double> predictors_left_out(const Problem& problem, const Member& fit, int num_threads);

// Returns the average over these members, which are penalised fits and whose weights sum to 1.
std::vector<double> average_left_out(const Problem& problem, std::span<const Member> fits,
                                     int num_threads);

}  // namespace otss::internal
