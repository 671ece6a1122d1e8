#pragma once

#include "learn/units/unit_pass.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Returns what explains the variation of the outcomes over the rows of the problem, or over an even
// sample of them if there are many.
VariationShares variation_shares(const Problem& problem, const UnitIndex& index,
                                 const Population& population, int num_threads);

}  // namespace otss::internal
