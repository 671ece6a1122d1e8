// This header reads a part of a log that is encoded as the whole log is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/log/fingerprint.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

struct EncodedPart {
  LoggedData log;  // its fingerprint is empty
  // The hashes of the part's values; their row numbers are those of the whole log.
  Fingerprint fingerprint;
};

// Reads one part of a log, whose first row has this number in the whole log. Values that read_log
// refuses are refused here too. The outcome and the factors may be constant in one part.
EncodedPart read_part(const TableReader& reader, const Roles& roles, const Encoder& encoder,
                      OutcomeKind outcome, std::size_t first_row);

// Returns the rows of a log as bytes, without its encoder, its roles and its fingerprint.
std::string rows_as_bytes(const LoggedData& log);

// Adds the rows that rows_as_bytes returned to `parts`, which must not have a row of the same group.
void append_rows(std::string_view bytes, LoggedData::Parts& parts);

}  // namespace otss::internal
