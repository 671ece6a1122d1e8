// Fits the soft mixture to the rows of a large log, wherever they are.
#pragma once

#include <optional>

#include "engine/rows.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// True if fit_rows() can fit the model that these options ask for. Posterior draws are those of all
// rows, so they need the rows in memory.
bool can_fit_rows(const FitOptions& options);

// Fits the soft mixture with a linear or quadratic gate, or the pooled model: chooses on a sample and
// finishes on all rows. Returns nothing if the log is not large, or if it has so few groups that a
// sample of groups would not represent the log. Deviations of units are learned only if `with_units`
// has the whole log, which must have the rows of `rows`; otherwise it is null.
std::optional<Fitted> fit_rows(Rows& rows, const FitOptions& options, const Progress& progress,
                               const LoggedData* with_units = nullptr);

}  // namespace otss::internal
