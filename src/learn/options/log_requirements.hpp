#pragma once

#include "otss/data/logged_data.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// Error(kInput) when a mixture of so many experts has more parameters than the log has rows.
void require_rows(const LoggedData& log, int experts);

// Error(kInput) naming the row whose outcome the family does not allow: a log may have been read
// for another family than it is fitted with.
void require_outcomes(const LoggedData& log, OutputFamily family);

}  // namespace otss
