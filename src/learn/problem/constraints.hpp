// What a user knows about the weights before any log is read: signs and bounds, per factor.
#pragma once

#include <string>

#include "engine/outcomes.hpp"
#include "optim/box.hpp"
#include "otss/data/encoder.hpp"

namespace otss {

// On the weights of every expert, so that every mixture of them obeys. Empty: none.
struct WeightBounds {
  Box own_units;     // of the log's columns, an entry per factor
  Box standardised;  // the same as learners see it
};

// `sign` is "F=+,G=-", `bounds` "F=lo:hi,G=:hi"; empty texts bound nothing. What cannot be read or
// met is an Error(kUsage).
Box parse_bounds(const std::string& sign, const std::string& bounds, const Encoder& encoder);

WeightBounds weight_bounds(const Box& own_units, const Encoder& encoder, const OutcomeUnits& units);

}  // namespace otss
