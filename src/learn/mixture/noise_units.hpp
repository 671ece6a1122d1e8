#pragma once

#include "engine/outcomes.hpp"
#include "optim/box.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// Returns the units in which a gaussian outcome has mean 0 and its noise has standard deviation 1.
// Penalty strengths and the family's variance assume such units. The noise is estimated by the
// residuals of the pooled model.
OutcomeUnits noise_units(const LoggedData& log, const Box& own_bounds, int num_threads);

}  // namespace otss::internal
