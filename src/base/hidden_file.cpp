#include "base/hidden_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

namespace otss::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".otss-tmp";
constexpr std::size_t kRandomDigits = 16;
// File systems allow 255 bytes per name. A longer target name is cut, to leave space for the random
// digits and the ending.
constexpr std::size_t kMostNameBytes = 200;

std::string beginning_of_name(const fs::path& target) {
  return fmt::format(".{}.", target.filename().string().substr(0, kMostNameBytes));
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

std::string random_name(const fs::path& target) {
  std::random_device device;
  const std::uint64_t number = (std::uint64_t{device()} << 32U) | device();
  return fmt::format("{}{:0{}x}{}", beginning_of_name(target), number, kRandomDigits, kEnding);
}

bool is_hidden_file_of(const std::string& name, const std::string& beginning) {
  if (name.size() != beginning.size() + kRandomDigits + kEnding.size()) return false;
  const std::string_view digits = std::string_view(name).substr(beginning.size(), kRandomDigits);
  return name.starts_with(beginning) && name.ends_with(kEnding) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_locked_by_us(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

void remove_if_abandoned(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (is_locked_by_us(descriptor)) unlink(file.c_str());
  close(descriptor);
}

void remove_abandoned_files(const fs::path& target) {
  const std::string beginning = beginning_of_name(target);
  std::error_code failed;
  fs::directory_iterator entry(folder_of(target), failed);
  while (!failed && entry != fs::directory_iterator()) {
    if (is_hidden_file_of(entry->path().filename().string(), beginning))
      remove_if_abandoned(entry->path());
    entry.increment(failed);
  }
}

// Locks a new file. Returns false if another process took the file for abandoned before it was
// locked, and has removed it or is about to remove it. If the file system has no locks, no process
// removes files, and the result is true.
bool keep(int descriptor) {
  if (!is_locked_by_us(descriptor)) return errno != EWOULDBLOCK;
  struct stat status {};
  return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

HiddenFile create_hidden_file(const fs::path& target, mode_t mode) {
  remove_abandoned_files(target);
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = (target.parent_path() / random_name(target)).string();
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0 || keep(descriptor)) return {std::move(path), descriptor};
    close(descriptor);
  }
  errno = EEXIST;
  return {};
}

}  // namespace otss::internal
