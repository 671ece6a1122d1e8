#include "otss/data/finding.hpp"

#include <array>

namespace otss {

std::string_view severity_name(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames = {"not identified", "refused", "warning",
                                                      "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

}  // namespace otss
