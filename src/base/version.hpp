#pragma once

namespace otss::internal {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace otss::internal
