#include "otss/base/error.hpp"

#include "otss/base/printable.hpp"

namespace otss {

// Control characters are escaped, because a NUL would cut the text of what() short and a line break
// would split it into two lines. Passwords are removed here, so that no message can contain one.
Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(without_passwords(printable(message))), code_(code) {}

}  // namespace otss
