#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kBufferBytes = 1U << 16;

// Returns the path of the file that commit() will replace. If `path` is a symbolic link, this file
// is the target of the link.
std::filesystem::path resolved(const std::string& path) {
  std::error_code ignored;
  const auto target = std::filesystem::canonical(path, ignored);
  return ignored ? std::filesystem::path(path) : target;
}

std::string sibling_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> serial = 0;
  const auto name = fmt::format(".{}.{}-{}.tmp", target.filename().string(), getpid(), serial++);
  return (target.parent_path() / name).string();
}

std::string reason(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (errno == ENOENT && !folder.empty() && !std::filesystem::exists(folder, ignored)) {
    return fmt::format("the folder '{}' does not exist; create it first", folder.string());
  }
  if (errno == ENOSPC) return "the disk is full; free some space, or write to another disk";
  return std::strerror(errno);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  const auto target = resolved(path_);
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_directory(status)) {
    throw Error(
        ErrorCode::kIo,
        fmt::format("cannot write '{}': this path is a folder; give the path of a file", path_));
  }
  const bool replaceable =
      !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  temporary_ = replaceable ? sibling_name(target) : target.string();
  const int flags = O_WRONLY | O_CLOEXEC | (replaceable ? O_CREAT | O_EXCL : 0);
  descriptor_ = open(temporary_.c_str(), flags, 0666);
  if (descriptor_ < 0) fail();
  if (!replaceable) temporary_.clear();
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::commit() {
  flush();
  const bool synced = temporary_.empty() || fsync(descriptor_) == 0;
  if (!synced || close(std::exchange(descriptor_, -1)) != 0) fail();
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), resolved(path_).c_str()) != 0) fail();
  temporary_.clear();
}

void AtomicFile::flush() {
  if (!write_fully(descriptor_, buffer_)) fail();
  buffer_.clear();
}

void AtomicFile::fail() const {
  throw Error(ErrorCode::kIo, fmt::format("cannot write '{}': {}", path_, reason(path_)));
}

bool write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace otss::internal
