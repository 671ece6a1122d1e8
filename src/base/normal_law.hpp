// This header computes probabilities and quantiles of Z, a standard normal variable.
#pragma once

namespace otss::internal {

double normal_probability(double x);  // returns P(Z <= x)
// Returns the x with P(Z <= x) = p, to machine precision; p must be above 0 and below 1.
double normal_quantile(double p);

}  // namespace otss::internal
