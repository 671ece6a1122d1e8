#pragma once

#include "engine/outcomes.hpp"
#include "optim/box.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

// The units in which a gaussian outcome has mean 0 and unit noise: penalties are counted in rows of
// unit noise, and the family's variance is 1. Noise is what one trade-off for everybody leaves
// unexplained; its own penalties need units too, so it is fitted once in units of the outcome's
// standard deviation.
OutcomeUnits noise_units(const LoggedData& log, const Box& own_bounds, int num_threads);

}  // namespace otss
