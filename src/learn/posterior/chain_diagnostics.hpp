// Computes R-hat and the effective sample size of chains (Gelman et al., Bayesian Data Analysis,
// 3rd ed., 11.4 and 11.5).
#pragma once

#include <vector>

#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Returns R-hat and the effective sample size of one quantity. `chains[c]` has the draws of this
// quantity by chain c. Precondition: all chains have the same number of draws, at least 4.
Mixing mixing(const std::vector<std::vector<double>>& chains);

}  // namespace otss::internal
