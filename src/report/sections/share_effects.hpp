// This header computes average marginal effects: how much the share of each expert changes, on
// average over contexts, if one context column changes.
#pragma once

#include <span>
#include <vector>

#include "report/report_input.hpp"

namespace otss::internal {

// The effects of one change on all experts.
struct ShareEffect {
  ColumnValue value;
  std::vector<Estimate> changes;  // one entry per expert
};

struct ShareEffects {
  std::vector<ShareEffect> effects;
  std::size_t sample_rows = 0;  // the number of contexts over which changes are averaged
  std::size_t band_rows = 0;    // the number of contexts from which intervals are computed
};

// A number column grows by one standard deviation, a column of true and false changes from false to
// true, a text column becomes each of its levels, and a value becomes missing. Precondition: the
// model has at least two experts.
ShareEffects share_effects(const ReportInput& input, std::span<const double> sds);

}  // namespace otss::internal
