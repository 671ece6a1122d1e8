// Measures weight errors against the sample size where nothing is known that a user would not know:
// the number of hard regions is chosen from the log, the joint fit does not start at the truth, and
// the estimator that ships chooses everything itself.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "lab/theory/rate_family.hpp"

namespace otss::internal {

// The errors of one estimator on one log.
struct RateError {
  double weights = std::numeric_limits<double>::quiet_NaN();  // E‖ŵ(X) - w*(X)‖²
  // Squared error of gate and experts (aligned_parameter_error); NaN if the estimator has none.
  double parameters = std::numeric_limits<double>::quiet_NaN();
  double regions = std::numeric_limits<double>::quiet_NaN();  // number of hard regions, if any
};

// The estimators on a log of 2^log2_n rows of the one-dimensional family.
struct LearnedRates {
  RateError best_regions;    // hard regions; the number is the best one by the theory's constants
  RateError chosen_regions;  // hard regions; the number is chosen by cross-validation
  RateError oracle_gate;     // the true shares are known
  RateError joint;    // gate in logit α*(x) and experts by maximum likelihood, random starts
  RateError shipped;  // `fit` with default options on the columns x and z
};
LearnedRates learned_rates(std::uint64_t seed, int log2_n, RateShare form);

}  // namespace otss::internal
