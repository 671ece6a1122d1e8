// The temporary files of this process, so that they can be removed when a signal ends the process.
#pragma once

#include <string>

namespace otss::internal {

// Call these functions after a temporary file is created, and before it is renamed or removed. If
// too many files are registered, further ones are not: after an early end they stay on the disk.
void register_temporary_file(const std::string& path);
void unregister_temporary_file(const std::string& path);

// Removes all registered files. May be called by a signal handler.
void remove_temporary_files() noexcept;

}  // namespace otss::internal
