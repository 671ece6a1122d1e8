#pragma once

#include "otss/data/logged_data.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// Throws Error(kInput) if a mixture with this many experts has more parameters than the log has
// rows.
void require_rows(std::size_t num_rows, const Encoder& encoder, int experts);

// Throws Error(kInput) that names the first row whose outcome the family does not allow. Such rows
// occur if the log was read with another --family.
void require_outcomes(const LoggedData& log, OutputFamily family);

}  // namespace otss::internal
