// Fits soft models to a log of the rate family (rate_family.hpp), and computes the weight error of
// any model of the family.
#pragma once

#include <functional>
#include <vector>

#include "lab/theory/quadrature.hpp"
#include "lab/theory/rate_family.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

using RateMap = std::function<RateWeights(double x)>;

// Returns E‖w(X) - w*(X)‖², integrated exactly if w is smooth within num_pieces equal pieces of [0, 1].
double rate_weight_error(const RateMap& map, RateShare form, int num_pieces);

// Fits the experts by maximum likelihood, given the true shares.
RateMap fit_rate_oracle(const RateLog& log, RateShare form);

// Returns the problem whose gate is linear in column(x).
Problem rate_problem(const RateLog& log, const RealFunction& column);

// Returns the weight map with the parameters theta of a mixture of two experts, whose gate is linear
// in column(x).
RateMap rate_mixture(const std::vector<double>& theta, const MixtureLayout& layout,
                     RealFunction column);

// Returns logit α*(x). A gate that is linear in this column contains the truth.
RealFunction logit_of_share(RateShare form);

}  // namespace otss::internal
