// Everything a user can cause ends in an otss::Error; what only a bug can cause is an assertion.
#pragma once

#include <stdexcept>
#include <string>

namespace otss {

enum class ErrorCode {
  kUsage,        // an option or argument that cannot be taken
  kInput,        // a table, model file or value that cannot be used
  kIo,           // the machine said no: disk full, permission, missing folder
  kInterrupted,  // the user pressed Ctrl-C
  kFailed,       // the computation could not be finished
};

// The message is one line: it names the file, row, column or option, and the way out.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace otss
