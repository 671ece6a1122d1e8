#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/hidden_file.hpp"
#include "base/interrupt.hpp"
#include "base/temporary_files.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

namespace otss::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 1U << 16;
constexpr std::size_t kSyncBytes = std::size_t{16}
                                   << 20U;  // a disk writes them in some milliseconds
constexpr int kPollMilliseconds = 100;

Error cannot_write(const std::string& path, const std::string& why) {
  return {ErrorCode::kIo, fmt::format("cannot write '{}': {}", path, why)};
}

// Follows symbolic links. Returns the file at the end of the chain of links, whether that file
// exists or not. If `path` is not a link, returns `path`.
fs::path end_of_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // the limit of Linux
  fs::path end(path);
  std::error_code not_a_link;
  for (int links = 0; links <= kMostLinks; ++links) {
    const fs::path next = fs::read_symlink(end, not_a_link);
    if (not_a_link) return end;
    end = next.is_absolute() ? next : end.parent_path() / next;
  }
  throw cannot_write(path, "its symbolic links form a circle; name another file");
}

std::string reason(const fs::path& target) {
  const auto folder = target.parent_path();
  std::error_code ignored;
  if (errno == ENOENT && !folder.empty() && !fs::exists(folder, ignored)) {
    return fmt::format("the folder '{}' does not exist; create it first", folder.string());
  }
  if (errno == ENOSPC) return "the disk is full; free some space, or write to another disk";
  if (errno == EFBIG)
    return "the file would exceed the limit on file sizes; raise the limit (ulimit -f) or write "
           "elsewhere";
  return std::strerror(errno);
}

bool is_replaceable(const fs::path& target) {
  std::error_code ignored;
  const auto status = fs::status(target, ignored);
  return !fs::exists(status) || fs::is_regular_file(status);
}

// Opens a pipe or a device for writing. Opening a pipe that nobody reads from fails with ENXIO, so
// the function tries again until a reader comes or the time is over.
int open_stream(const fs::path& target) {
  constexpr auto kWaitForReader = std::chrono::seconds(5);
  const auto give_up = std::chrono::steady_clock::now() + kWaitForReader;
  while (true) {
    const int descriptor = open(target.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    const bool may_come = descriptor < 0 && (errno == ENXIO || errno == EINTR);
    if (!may_come || std::chrono::steady_clock::now() > give_up) return descriptor;
    check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(end_of_links(path_)) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored))
    throw cannot_write(path_, "this path is a folder; give the path of a file");
  if (is_replaceable(target_)) {
    open_hidden();
  } else {
    open_directly();
  }
}

void AtomicFile::open_hidden() {
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  // rename() replaces even a write-protected file, so the permission is checked here.
  if (replaces && access(target_.c_str(), W_OK) != 0) fail();
  constexpr mode_t kNewFile = 0666, kPermissions = 0777;
  const mode_t mode = replaces ? old.st_mode & kPermissions : kNewFile;
  HiddenFile hidden = create_hidden_file(target_, mode);
  if (hidden.descriptor < 0) fail();
  descriptor_ = hidden.descriptor;
  temporary_ = std::move(hidden.path);
  register_temporary_file(temporary_);
  if (!replaces) return;
  // The new file gets the owner of the old file. Only a privileged process may change the owner.
  // For other processes fchown() fails, and the new file belongs to the process's own user.
  [[maybe_unused]] const int not_permitted = fchown(descriptor_, old.st_uid, old.st_gid);
  fchmod(descriptor_, mode);  // open() has removed the permissions that the umask excludes
}

void AtomicFile::open_directly() {
  descriptor_ = open_stream(target_);
  if (descriptor_ < 0 && errno == ENXIO)
    throw cannot_write(path_, "no process reads from this pipe; start the reader first");
  if (descriptor_ < 0) fail();
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      num_unsynced_(other.num_unsynced_) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) {
    unregister_temporary_file(temporary_);
    unlink(temporary_.c_str());
  }
  if (descriptor_ >= 0) close(descriptor_);
}

void AtomicFile::write(std::string_view bytes) {
  if (bytes.size() >= kBufferBytes) {
    flush();
    write_now(bytes);
    return;
  }
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

std::string AtomicFile::read(std::size_t position, std::size_t count) {
  flush();
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t part =
        pread(descriptor_, bytes.data() + done, count - done, static_cast<off_t>(position + done));
    if (part < 0 && errno == EINTR) continue;
    if (part == 0) errno = EIO;  // somebody has shortened the file
    if (part <= 0) fail();
    done += static_cast<std::size_t>(part);
  }
  return bytes;
}

void AtomicFile::commit() {
  flush();
  if (!temporary_.empty()) {
    if (fsync(descriptor_) != 0) fail();
    // close() ends the lock, and another process may remove an unlocked hidden file. So the rename
    // comes before close().
    if (rename(temporary_.c_str(), target_.c_str()) != 0) fail();
    unregister_temporary_file(temporary_);
    temporary_.clear();
  }
  if (close(std::exchange(descriptor_, -1)) != 0) fail();
}

void AtomicFile::flush() {
  write_now(buffer_);
  buffer_.clear();
}

void AtomicFile::write_now(std::string_view bytes) {
  if (!write_fully(descriptor_, bytes)) fail();
  num_unsynced_ += bytes.size();
  if (temporary_.empty() || num_unsynced_ < kSyncBytes) return;
  num_unsynced_ = 0;
#ifdef __linux__
  // Only a hint: the disk starts to work, so that fsync() in commit() waits for less.
  [[maybe_unused]] const int ignored = sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

void AtomicFile::fail() const { throw cannot_write(path_, reason(target_)); }

bool write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EINTR) {
      // The pipe is full, or a signal has arrived.
      check_interrupt();
      pollfd writable{descriptor, POLLOUT, 0};
      poll(&writable, 1, kPollMilliseconds);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

void require_writable(const std::string& path) {
  const fs::path target = end_of_links(path);
  if (is_replaceable(target)) {
    const AtomicFile file(path);
  } else if (access(target.c_str(), W_OK) != 0) {
    throw cannot_write(path, reason(target));
  }
}

}  // namespace otss
