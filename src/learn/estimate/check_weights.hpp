// Checks how far the intervals of a fit's weights can be trusted.
#pragma once

#include <optional>

#include "learn/deploy/standardised_model.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Returns the part of the variation of the weights that the log determines
// (WeightChecks::known_share), computed in some contexts of the log. `gain` is that of the model over
// the pooled model. `mixture` and `uncertainty` are in the log's units. For one trade-off, the
// uncertainty contains hidden_variance().
double known_share(const LoggedData& log, const SoftMixture& mixture,
                   const Uncertainty& uncertainty, const MeanAndError& gain);

// Returns hidden_variance() of a fit that found one trade-off for everybody, and 0 for any other model:
// their uncertainty contains the differences that they found. Returns nothing if the log has too few
// rows to say. `on_columns` is the deployed model in the units of `problem`.
std::optional<double> hidden_variance(const LoggedData& log, const Problem& problem,
                                      const StandardisedModel& on_columns, int num_threads);

// Tests the gate of a mixture. `on_columns` is the deployed model in the units of `problem`, with a
// gate that is linear in the problem's columns. Returns nothing if this gate cannot be tested.
std::optional<GateTest> check_gate(const LoggedData& log, const Problem& problem,
                                   const StandardisedModel& on_columns, int num_threads);

}  // namespace otss::internal
