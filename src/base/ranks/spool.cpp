#include "base/ranks/spool.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

std::string temporary_folder() {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored).string();
}

[[noreturn]] void fail_to_spool(const char* what) {
  throw Error(ErrorCode::kIo,
              fmt::format("cannot {} a temporary file in '{}': {}; set TMPDIR to a folder with "
                          "enough free space",
                          what, temporary_folder(), std::strerror(errno)));
}

}  // namespace

Spool::Spool()
    : descriptor_(open(temporary_folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
  if (descriptor_ < 0) fail_to_spool("create");
}

Spool::~Spool() { close(descriptor_); }

void Spool::add(std::string_view message) {
  if (!write_fully(descriptor_, message)) fail_to_spool("write");
  ends_.push_back(ends_.back() + message.size());
}

std::string Spool::next() {
  if (num_taken_ + 1 == ends_.size()) return {};
  const std::size_t begin = ends_[num_taken_++];
  std::string message(ends_[num_taken_] - begin, '\0');
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t count = pread(descriptor_, message.data() + done, message.size() - done,
                                static_cast<off_t>(begin + done));
    if (count <= 0) fail_to_spool("read");
    done += static_cast<std::size_t>(count);
  }
  return message;
}

}  // namespace otss::internal
