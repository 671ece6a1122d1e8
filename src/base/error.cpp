#include "otss/base/error.hpp"

#include "otss/base/printable.hpp"

namespace otss {

// A NUL would end what() early, and a line break would make it two lines.
Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(printable(message)), code_(code) {}

}  // namespace otss
