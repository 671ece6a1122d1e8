// Did the chains mix? (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4 and 11.5.)
#pragma once

#include <vector>

#include "otss/model/fit_report.hpp"

namespace otss {

// `chains` hold one quantity's draws, equally many (at least 4) in each.
Mixing mixing(const std::vector<std::vector<double>>& chains);

}  // namespace otss
