// Reads a log whose encoded rows are kept in a file on disk, for logs that do not fit into memory.
#pragma once

#include <string>
#include <vector>

#include "otss/data/logged_data.hpp"

namespace otss {

// Reads a log as read_log does, but keeps the encoded contexts and factors in a file without a name
// in `folder`. The system removes this file when the last copy of the log is destroyed, or when the
// process ends. In memory are only the outcome of each row (4 bytes), and its weight (4), group (4)
// and time (8) if the log has them. A fit to this log gives the same model, to the bit, as a fit to
// the log that read_log returns.
LoggedData stream_log(TableReader reader, const Roles& roles, OutcomeKind outcome,
                      const std::string& folder);

// Returns the files of a table on this machine. The list is empty for standard input, for a table in
// memory, for a table of a database, and for files in an object store.
std::vector<std::string> table_files(const TableSource& source);

}  // namespace otss
