// A Spool keeps messages on disk until another process takes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal {

// The messages are in a file without a name in the folder for temporary files (TMPDIR). The system
// removes the file when the process ends, however it ends. A failure is an Error(kIo).
class Spool {
 public:
  Spool();
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void add(std::string_view message);
  // Returns the first message that has not been returned yet. Returns an empty text after the last.
  std::string next();

 private:
  int descriptor_ = -1;
  std::vector<std::size_t> ends_{0};  // where each message ends in the file
  std::size_t num_taken_ = 0;
};

}  // namespace otss::internal
