// What a fit did, as the model file keeps it.
#pragma once

#include "base/json.hpp"
#include "learn/averaging/cross_validation.hpp"
#include "learn/deploy/standardised_model.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// Software, options and data: the part every method has.
Json provenance_of(const LoggedData& log, const FitOptions& options);

// Whether held-out rows gain from weights that vary with the context: pooled minus model, per row.
Json heterogeneity_to_json(const MeanAndError& gain);

// Quality of the held-out predictions (eta per row in standardised units, NaN where there is none)
// and how the deployed model's gate is used over the log's contexts.
Json diagnostics_to_json(const LoggedData& log, const Problem& problem,
                         std::span<const double> held_out_eta, const StandardisedModel& deployed);

}  // namespace otss
