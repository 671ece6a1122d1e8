// A file that is written completely or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace otss {

// Bytes are written to a hidden file in the target's folder. commit() syncs the hidden file and
// renames it to the target. The destructor removes the hidden file if commit() was not called. A
// target that is a symbolic link is followed, also if the link's own target does not exist yet. The
// new file has the permissions and, if the system permits it, the owner of the file it replaces. A
// target that is not a regular file (a pipe, a device) cannot be replaced, so it is written
// directly. A failure is an Error(kIo) with the target's name.
class AtomicFile {
 public:
  // A pipe is opened as soon as another process reads from it. If none does within some seconds,
  // this is an Error.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes);
  void commit();

  // The path of the hidden file (or of the target, if that is written directly), for a library that
  // opens files by path. The library must write into this file, and must not replace it.
  const std::string& temporary_path() const { return temporary_.empty() ? path_ : temporary_; }

 private:
  void open_hidden();
  void open_directly();
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::filesystem::path target_;  // path_ with symbolic links followed
  // The hidden file; empty if there is none, because the target is written directly or was
  // committed.
  std::string temporary_;
  std::string buffer_;
  int descriptor_ = -1;
};

// Writes all of `bytes`; on failure returns false and leaves errno set. Throws Error(kInterrupted)
// if a signal arrives while a pipe is full.
bool write_fully(int descriptor, std::string_view bytes);

}  // namespace otss
