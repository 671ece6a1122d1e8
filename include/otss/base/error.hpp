// An error that a user can cause is an otss::Error. An error that only a bug can cause is a failed
// assertion or a std::logic_error.
#pragma once

#include <stdexcept>
#include <string>

namespace otss {

enum class ErrorCode {
  kUsage,        // an invalid option or argument, or options that contradict each other
  kInput,        // an invalid table, model file or value
  kIo,           // a file operation failed: disk full, no permission, missing folder
  kInterrupted,  // a signal (Ctrl-C) stopped the work, or the caller cancelled it
  kFailed,       // the computation could not be finished
};

// what() is one line that names the file, row, column or option, and says what to do. Control
// characters in the message are escaped (printable.hpp).
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  ErrorCode code() const { return code_; }  // the kind of error

 private:
  ErrorCode code_;
};

}  // namespace otss
