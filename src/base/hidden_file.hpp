// This header creates hidden files. A hidden file lies beside a target and is renamed to the target
// once the hidden file is complete.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace otss::internal {

struct HiddenFile {
  std::string path;
  int descriptor = -1;  // open for writing; -1 if the file could not be created (errno says why)
};

// Creates a hidden file with a random name in the folder of `target`. The file is locked as long as
// the descriptor is open. An unlocked hidden file was left by a process that was killed. Such files
// of the same target are removed first.
HiddenFile create_hidden_file(const std::filesystem::path& target, mode_t mode);

}  // namespace otss::internal
