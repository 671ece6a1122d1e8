// AtomicFile writes a file completely or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace otss::internal {

// Bytes are written to a hidden file in the target's folder. commit() syncs the hidden file and
// renames it to the target. The destructor removes the hidden file if commit() was not called. If
// the target is a symbolic link, the file that the link names is written, even if that file does
// not exist yet. The new file keeps the permissions of the file that it replaces and, if the system
// permits it, the owner. A pipe or a device cannot be replaced, so it is written directly. A
// failure is an Error(kIo) with the target's name.
class AtomicFile {
 public:
  // A pipe is opened as soon as another process reads from it. If no process reads from the pipe
  // within some seconds, the constructor throws an Error.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes);
  // Returns bytes that were written. A failure, as with a pipe, is an Error.
  std::string read(std::size_t position, std::size_t count);
  void commit();

 private:
  void open_hidden();
  void open_directly();
  void flush();
  void write_now(std::string_view bytes);
  [[noreturn]] void fail() const;

  std::string path_;
  std::filesystem::path target_;  // path_ with symbolic links followed
  // The path of the hidden file. This path is empty if the target is written directly, and after
  // commit().
  std::string temporary_;
  std::string buffer_;
  int descriptor_ = -1;
  std::size_t num_unsynced_ = 0;  // the number of bytes since the disk was last told to write
};

// Writes all of `bytes`. If writing fails, returns false and leaves errno set. Throws
// Error(kInterrupted) if a signal arrives while a pipe is full.
bool write_fully(int descriptor, std::string_view bytes);

}  // namespace otss::internal
