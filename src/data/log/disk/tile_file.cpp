#include "data/log/disk/tile_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

[[noreturn]] void fail_on(const std::string& path, int error, const char* advice) {
  throw Error(ErrorCode::kIo, fmt::format("{}: cannot write the scratch file: {}; {}", path,
                                          std::strerror(error), advice));
}

constexpr const char* kOtherFolder = "give --scratch FILE in a folder with enough free space";

}  // namespace

TileFile::TileFile(std::string folder) : path_(std::move(folder)) {
  descriptor_ = open(path_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) fail_on(path_, errno, kOtherFolder);
}

TileFile::~TileFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TileFile::reserve(std::size_t bytes) {
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (error != 0) fail_on(path_, error, kOtherFolder);
}

void TileFile::cut(std::size_t bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail_on(path_, errno, kOtherFolder);
}

void TileFile::refuse_changed() const {
  throw Error(ErrorCode::kIo,
              fmt::format("{}: the scratch file in this folder does not have the bytes that were "
                          "written to it, so its disk is faulty; give --scratch FILE on another "
                          "disk",
                          path_));
}

void TileFile::keep_as(const std::string& path) const {
  if (fdatasync(descriptor_) != 0) fail_on(path, errno, kOtherFolder);
  // A link cannot replace a file, but a renamed link can.
  const std::string beside = fmt::format("{}.{}", path, getpid());
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor_);
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, beside.c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail_on(path, errno, kOtherFolder);
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(beside.c_str());
    fail_on(path, error, kOtherFolder);
  }
}

}  // namespace otss::internal
