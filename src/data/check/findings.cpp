#include <algorithm>
#include <array>

#include "otss/data/check.hpp"

namespace otss {

std::string_view severity_name(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames = {"not identified", "refused", "warning",
                                                      "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

void sort_findings(Findings& findings) {
  std::ranges::stable_sort(findings, {}, &Finding::severity);
}

}  // namespace otss
