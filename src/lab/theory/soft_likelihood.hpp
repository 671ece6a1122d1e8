// Fits soft mixtures by maximum likelihood, and measures the error of their parameters. These are the
// estimators of the paper's Theorem "Local joint estimation under regular soft truth".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/mixture/mixture_objective.hpp"
#include "learn/problem/problem.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {

// A penalty so small that a fit is nearly maximum likelihood. A penalty is needed because the model
// has a redundant intercept: along some directions the loss does not change, and the penalty fixes the
// position along them. Penalties are added to the summed loss, so the effect of a penalty vanishes
// like 1/n, as the theorem requires.
inline constexpr Penalty kNearlyNone{
    .gate = 1e-6, .gate_intercept = 1e-6, .expert = 1e-6, .center = 1e-6, .baseline = 1e-6};

// Minimises the loss over all rows in f64 until convergence, from the given parameters
// (MixtureLayout).
Minimum maximise_likelihood(const Problem& problem, int num_experts, std::span<const double> start,
                            const Penalty& penalty = kNearlyNone);

// Returns the parameters with the largest penalised likelihood of several fits. Each of them starts
// with a random gate, and with experts at random distances from the pooled fit, so that no start knows
// the truth. Without a penalty, some of these fits end with a gate that is a step around a few rows,
// or with experts that are infinitely far apart. So the gate has the penalty of one standard normal
// row, and the experts a tenth of it.
std::vector<double> most_likely_mixture(const Problem& problem, int num_experts,
                                        std::uint64_t seed);

// Returns the squared distance between the estimated and the true gate and experts, for the numbering
// of the experts that makes it smallest. The gate of an expert is relative to the gate of the last
// expert, also after the experts are renumbered. The baseline and the experts' intercepts do not
// count: they are not identified separately.
double aligned_parameter_error(const MixtureLayout& layout, std::span<const double> estimate,
                               std::span<const double> truth);

}  // namespace otss::internal
