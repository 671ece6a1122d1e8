// A scratch file holds the encoded rows of a log, so that a later fit to the same log need not read and
// encode the log again.
#pragma once

#include <optional>
#include <string>

#include "otss/data/logged_data.hpp"

namespace otss {

// Returns a text that identifies a table and how it is read: the files with their sizes and times of
// change, the query, the reading rules, the roles and the kind of the outcome. A scratch file is used
// again only for the same text.
std::string scratch_key(const TableSource& source, const Roles& roles, OutcomeKind outcome);

// Gives the file of a log a name and adds everything else that the log has. `log` must have been read
// by stream_log into a folder of the same file system. A file that has this name already is replaced.
// The file appears completely or not at all. A failure is an Error(kIo).
void save_scratch(const LoggedData& log, const std::string& key, const std::string& path);

// Returns the log of a scratch file, whose encoded rows stay in the file. Returns nothing if there is
// no such file. It is an Error(kInput) if the file is not a scratch file, if it was made for another
// key, or if its checksum is wrong.
std::optional<LoggedData> load_scratch(const std::string& path, const std::string& key);

}  // namespace otss
