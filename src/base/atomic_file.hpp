// A file that appears whole, or not at all.
#pragma once

#include <string>
#include <string_view>

namespace otss {

// Bytes go to a hidden file beside the target; commit() syncs it and renames it over the target.
// Without commit() it is removed. A target that is no regular file (a pipe, a device) cannot be
// replaced, so it is written directly. Failures are Error(kIo) naming the target.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes);
  void commit();

  // For a library that writes by name; it must not replace the file.
  const std::string& temporary_path() const { return temporary_.empty() ? path_ : temporary_; }

 private:
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::string temporary_;  // empty when there is nothing to remove: written directly, or committed
  std::string buffer_;
  int descriptor_ = -1;
};

// Writes all of `bytes`; false with errno set when the system refuses.
bool write_fully(int descriptor, std::string_view bytes);

}  // namespace otss
