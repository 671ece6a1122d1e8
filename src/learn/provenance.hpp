// What a fit did, as the model file keeps it.
#pragma once

#include "base/json.hpp"
#include "learn/held_out.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// Software, options and data: the part every method has.
Json provenance_of(const LoggedData& log, const FitOptions& options);

// Whether held-out rows gain from weights that vary with the context: pooled minus model, per row.
Json heterogeneity_to_json(const MeanAndError& gain);

}  // namespace otss
