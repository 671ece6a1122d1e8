// Quantiles of Student's t, for intervals whose standard error is itself an estimate.
#pragma once

namespace otss {

// `probability` in (0, 1); `degrees` >= 1, not necessarily an integer. The error is about 1e-10 for
// probabilities between 0.0001 and 0.9999.
double student_quantile(double probability, double degrees);

}  // namespace otss
