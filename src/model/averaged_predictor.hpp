// This header averages the mean outcome over a normal distribution of the linear predictor.
#pragma once

#include "otss/model/output_family.hpp"

namespace otss::internal {

// Returns the predictor whose mean outcome is the average of family.mean(t) over t ~ N(eta,
// variance).
double averaged_predictor(OutputFamily family, double eta, double variance);

}  // namespace otss::internal
