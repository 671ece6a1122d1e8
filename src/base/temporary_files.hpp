// This header lists the temporary files of this process, so that a signal handler can remove them.
#pragma once

#include <string>

namespace otss::internal {

// Register a temporary file after it is created. Unregister the file before it is renamed or
// removed. remove_temporary_files() (otss/base/process.hpp) removes all registered files. The list
// has room for 32 files. Further files are not registered; they stay on the disk if a signal ends
// the process.
void register_temporary_file(const std::string& path);
void unregister_temporary_file(const std::string& path);

}  // namespace otss::internal
