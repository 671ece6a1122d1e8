// A TileFile is a file on disk that holds the tiles of a log that does not fit into memory.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace otss::internal {

class TileFile {
 public:
  // Creates a file without a name in this folder. The system removes the file when the process ends,
  // however it ends. Throws Error(kIo) if the folder cannot hold such a file.
  explicit TileFile(std::string folder);
  // Refers to an open file, which this object closes. `path` is used in messages.
  TileFile(int descriptor, std::string path) : path_(std::move(path)), descriptor_(descriptor) {}
  ~TileFile();
  TileFile(const TileFile&) = delete;
  TileFile& operator=(const TileFile&) = delete;

  int descriptor() const { return descriptor_; }

  // Makes the file this long. The disk space is reserved at once, so that a full disk is an
  // Error(kIo) here, and not a crash when a page is written.
  void reserve(std::size_t bytes);

  // Makes the file exactly this long.
  void cut(std::size_t bytes);

  // Throws the Error(kIo) for a file that returns other bytes than were written.
  [[noreturn]] void refuse_changed() const;

  // Gives the file a name. A file that already has this name is replaced.
  void keep_as(const std::string& path) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace otss::internal
