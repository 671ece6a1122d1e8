#include "otss/base/error.hpp"

#include "otss/base/printable.hpp"

namespace otss {

// Control characters are escaped, because a NUL would cut the text of what() short and a line break
// would split it into two lines.
Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(printable(message)), code_(code) {}

}  // namespace otss
