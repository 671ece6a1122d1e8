// Fits soft mixtures by maximum likelihood, and measures the error of their parameters. These are the
// estimators of the paper's Theorem "Local joint estimation under regular soft truth".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {

// Minimises the loss over all rows in f64 until convergence, from the given parameters
// (MixtureLayout). The penalty is so small that the fit is nearly maximum likelihood.
Minimum maximise_likelihood(const Problem& problem, int num_experts, std::span<const double> start);

// Returns the parameters with the largest likelihood of several fits. Each of them starts with a
// random gate, and with experts at random distances from the pooled fit, so that no start knows the
// truth.
std::vector<double> most_likely_mixture(const Problem& problem, int num_experts,
                                        std::uint64_t seed);

// Returns the squared distance between the estimated and the true gate and experts, for the numbering
// of the experts that makes it smallest. The gate of an expert is relative to the gate of the last
// expert, also after the experts are renumbered. The baseline and the experts' intercepts do not
// count: they are not identified separately.
double aligned_parameter_error(const MixtureLayout& layout, std::span<const double> estimate,
                               std::span<const double> truth);

}  // namespace otss::internal
