// A hidden file beside a target, which takes the place of the target once it is complete.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace otss::internal {

struct HiddenFile {
  std::string path;
  int descriptor = -1;  // open for writing; -1 if the file could not be created (errno says why)
};

// Creates a hidden file in the folder of `target`, under a random name. As long as the descriptor is
// open, the file is locked. So a hidden file that nobody has locked was left by a process that was
// killed: such files of the same target are removed first.
HiddenFile create_hidden_file(const std::filesystem::path& target, mode_t mode);

}  // namespace otss::internal
