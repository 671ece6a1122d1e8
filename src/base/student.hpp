// Quantiles of Student's t, for intervals whose standard error is itself an estimate.
#pragma once

namespace otss {

// `probability` inside (0, 1), `degrees` at least 1 and not necessarily whole. To about 1e-10 for
// probabilities up to 0.9999.
double student_quantile(double probability, double degrees);

}  // namespace otss
