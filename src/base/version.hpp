#pragma once

namespace otss {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace otss
