// Measures the weight error against the sample size n on the one-dimensional family (the paper's
// Theorem "Hard-versus-soft rate separation" and Corollary "Weight error for the joint estimator").
// The error of hard regions falls like n^(-2/3), and the errors of soft mixtures fall like n^(-1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace otss::internal {

inline constexpr int kRateFirstLog2 = 10;  // the sample sizes are n = 2^10 … 2^17
inline constexpr int kRateLastLog2 = 17;
inline constexpr int kRateFirstLog2Joint = 12;  // the slopes of the joint methods use n >= 2^12

// The methods:
//
// hard: a bias-reduced logistic regression in each of rate_regions(n) equal bins.
// hard, plain likelihood: the same regression without bias reduction. Its error is about 10 % larger
//   than the theory's value in bins of 128 rows, and hardly larger in bins of 3200 rows
//   (docs/results/rates). So its slope is about -0.68 here.
// oracle gate: the true share α* is known; the experts are fitted by maximum likelihood.
// joint: the gate σ(g_0 + g_1 logit α*(x)) and the experts are fitted jointly. The true share α* is
//   the gate with g_0 = 0 and g_1 = 1, so the theorem applies. The slope uses n >= 2^12 only: with
//   2^10 rows, about one log in a thousand has separable rows, and its fitted gate becomes a step.
// joint, gate in x: the gate σ(g_0 + g_1 x) and the experts are fitted jointly, as a user would do.
//   These gates approach α*(x), which is linear in x, only in a limit: g_1 → 0 while the distance
//   between the experts grows. So the theorem does not apply, but the observed rate is the same.
inline constexpr std::array<std::string_view, 5> kRateMethods = {
    "hard", "hard, plain likelihood", "oracle gate", "joint", "joint, gate in x"};

// The weight error E‖ŵ(X) - w*(X)‖² of each method on one log of 2^log2_n rows, in the order of
// kRateMethods. The expectation is over the context X only and is computed by quadrature.
using RateErrors = std::array<double, kRateMethods.size()>;
RateErrors rate_errors(std::uint64_t seed, int log2_n);

}  // namespace otss::internal
