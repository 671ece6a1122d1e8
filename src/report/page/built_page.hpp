// The page that is built from web/. cmake/OtssPage.cmake generates the source file that defines it.
#pragma once

#include <string_view>

namespace otss::internal {

extern const std::string_view kBuiltPage;

}  // namespace otss::internal
