// This header computes quantiles of Student's t distribution. These quantiles are used for
// intervals whose standard error is itself an estimate.
#pragma once

namespace otss::internal {

// Returns the quantile at `probability`, a number between 0 and 1. `degrees`, the degrees of
// freedom, is any number from 1 on. The error of the quantile is about 1e-10 for probabilities
// between 0.0001 and 0.9999.
double student_quantile(double probability, double degrees);

}  // namespace otss::internal
