// The standard normal distribution.
#pragma once

namespace otss::internal {

double normal_probability(double x);  // P(Z <= x)
double normal_quantile(double p);  // the x with P(Z <= x) = p, for 0 < p < 1, to machine precision

}  // namespace otss::internal
