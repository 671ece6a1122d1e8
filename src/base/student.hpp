// Quantiles of Student's t distribution, for intervals whose standard error is itself an estimate.
#pragma once

namespace otss::internal {

// Returns the quantile. `probability` is between 0 and 1; `degrees` is at least 1 and need not be
// an integer. The error is about 1e-10 for probabilities between 0.0001 and 0.9999.
double student_quantile(double probability, double degrees);

}  // namespace otss::internal
