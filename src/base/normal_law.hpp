// This header computes probabilities and quantiles of Z, a standard normal variable.
#pragma once

namespace otss {

double normal_probability(double x);  // P(Z <= x)
double normal_quantile(double p);  // the x with P(Z <= x) = p, for 0 < p < 1, to machine precision

}  // namespace otss
