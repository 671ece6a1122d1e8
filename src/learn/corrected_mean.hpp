// This header computes the mean of a measure over repeated splits of one log into training and test
// rows.
#pragma once

#include <span>

#include "otss/base/bounds.hpp"

namespace otss::internal {

struct CorrectedMean {
  double mean = 0;
  double standard_error = 0;
  Bounds interval;  // 95 %: mean ± t · standard_error; t is explained below
};

// Returns the mean of `per_split`, which has the measure on the test rows of each split, at least 2
// entries. The splits share training rows, so their measures depend on each other, and the usual
// standard error is too small. The corrected variance of the mean is (1 / J + n_test / n_train)
// times the variance between the J splits (Nadeau & Bengio 2003). t is a quantile of Student's
// distribution with J - 1 degrees of freedom. `test_to_train` is n_test / n_train.
CorrectedMean corrected_mean(std::span<const double> per_split, double test_to_train);

}  // namespace otss::internal
