// The standard normal law.
#pragma once

namespace otss {

double normal_probability(double x);  // P(Z <= x)
double normal_quantile(double p);     // its inverse, 0 < p < 1, to rounding

}  // namespace otss
