// Weight error against sample size on the one-dimensional family (the paper's Theorem "Hard-versus-
// soft rate separation" and Corollary "Weight error for the joint estimator"): the balanced hard
// estimator falls like n^(-2/3), the soft ones like n^(-1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace otss {

inline constexpr int kRateFirstLog2 = 10;  // n = 2^10 … 2^17
inline constexpr int kRateLastLog2 = 17;
inline constexpr int kRateFirstLog2Joint = 12;  // from where the joint slopes are fitted

// hard: one bias-reduced logistic regression in each of rate_regions(n) equal bins. Without bias
//   reduction ("plain likelihood") bins of 128 rows err 13 % more than to first order, bins of 3200
//   hardly more, and the slope over this range is -0.68.
// oracle gate: α* known, experts by maximum likelihood.
// joint: gate σ(g_0 + g_1 logit α*(x)) and experts together: the smallest softmax gate that holds
//   α* at a finite, identified parameter, as the theorem on joint estimation asks. Its slope is for
//   n >= 2^12: at 2^10 the gate of one log in a thousand is a step around rows that separate.
// joint, gate in x: gate σ(g_0 + g_1 x) and experts together: what a user would fit. The truth, a
//   straight line, is only a limit of this class (g_1 → 0 with experts ever further apart), so the
//   theorem does not cover it; the rate is the same.
inline constexpr std::array<std::string_view, 5> kRateMethods = {
    "hard", "hard, plain likelihood", "oracle gate", "joint", "joint, gate in x"};

// E‖ŵ(X) - w*(X)‖² of each method, in the order of kRateMethods, on one log of 2^log2_n rows. The
// expectation is over X alone and exact (quadrature).
using RateErrors = std::array<double, kRateMethods.size()>;
RateErrors rate_errors(std::uint64_t seed, int log2_n);

}  // namespace otss
