// Did the chains mix? (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4 and 11.5.)
#pragma once

#include <span>
#include <vector>

namespace otss {

struct Mixing {
  double r_hat = 1;  // split R-hat: 1 when halves of all chains look alike; above 1.1 they do not
  double effective_sample = 0;  // independent draws that would give the same precision of the mean
};

// `chains` hold one quantity's draws, equally many (at least 4) in each.
Mixing mixing(const std::vector<std::vector<double>>& chains);

}  // namespace otss
