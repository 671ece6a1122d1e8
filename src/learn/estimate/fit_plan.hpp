// Decides what a fit estimates, from its options and from the size of the problem.
#pragma once

#include <cstddef>

#include "learn/estimate/estimate.hpp"
#include "otss/data/encoder.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// The size of the problem that a mixture is fitted to.
struct ProblemSize {
  std::size_t num_rows = 0;
  int num_contexts = 0;  // of the problem; with a quadratic gate these are monomials
  int num_factors = 0;
  bool is_bounded = false;  // true if weights have bounds

  MixtureLayout layout(int num_experts) const { return {num_contexts, num_factors, num_experts}; }
};

// Returns the plan of a fit to a log with this encoder. The plan's estimator is kMap.
EstimatePlan plan_estimate(const ProblemSize& problem, const Encoder& encoder,
                           const FitOptions& options, int threads);

// Returns the number of parameters of the largest mixture that is always tried.
std::size_t most_parameters(const ProblemSize& problem, const EstimatePlan& plan);

}  // namespace otss::internal
