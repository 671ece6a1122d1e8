// Reads the constraints that the user gives for the weights: signs and bounds of factors.
#pragma once

#include <string>

#include "engine/outcomes.hpp"
#include "optim/box.hpp"
#include "otss/data/encoder.hpp"

namespace otss::internal {

// Bounds on the weights of every expert. The mixed weights w(x) then satisfy the bounds too. If the
// boxes are empty, there are no bounds.
struct WeightBounds {
  Box own_units;     // in the log's units, one entry per factor
  Box standardised;  // the bounds of own_units in standardised units
};

// Returns the bounds that the options --sign and --bounds give, in the log's units. `sign` looks
// like "F=+,G=-", and `bounds` looks like "F=lo:hi,G=:hi", where F and G are factors. An empty text
// sets no bounds. Throws Error(kUsage) for a text that cannot be read, or for bounds that
// contradict each other.
Box parse_bounds(const std::string& sign, const std::string& bounds, const Encoder& encoder);

WeightBounds weight_bounds(const Box& own_units, const Encoder& encoder, const OutcomeUnits& units);

}  // namespace otss::internal
