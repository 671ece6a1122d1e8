// Checks whether the log has enough rows for its columns.
#pragma once

#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// Reports a log that has too few rows for the parameters of the pooled model. The outcomes must be
// 0 or 1.
void check_size(const LoggedData& log, Findings& findings);

}  // namespace otss::internal
