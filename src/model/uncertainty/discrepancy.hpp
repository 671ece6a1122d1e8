// Adds to the estimation error of the weights what a gate that does not fit adds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/base/bounds.hpp"

namespace otss::internal {

// Returns the quantiles of the standard normal law at evenly spaced probabilities, scaled to unit
// variance, in a random order that is the same in every call.
std::vector<double> shuffled_quantiles(std::size_t count);

// `departures` has draws of the estimation error, one row per draw, with as many columns as
// `discrepancy` has entries. Adds to each row `discrepancy` times a number of
// shuffled_quantiles(), which are independent of the draws. If `discrepancy` is empty,
// nothing is added.
void add_discrepancy(std::span<const double> discrepancy, std::span<double> departures);

// Widens confidence bounds lo <= 0 <= hi of an error by an independent normal error with the given
// standard deviation.
Bounds widened(const Bounds& bounds, double standard_deviation, double level);

}  // namespace otss::internal
