// The temporary files of this process, so that they can be removed when a signal ends the process.
#pragma once

#include <string>

namespace otss::internal {

// Call these functions after a temporary file is created, and before it is renamed or removed. If
// too many files are registered, further ones are not: after an early end they stay on the disk.
// remove_temporary_files() (otss/base/process.hpp) removes all of them.
void register_temporary_file(const std::string& path);
void unregister_temporary_file(const std::string& path);

}  // namespace otss::internal
