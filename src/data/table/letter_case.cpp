#include "data/table/letter_case.hpp"

#include <algorithm>

namespace otss::internal {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool equals_lower(std::string_view text, std::string_view expected) {
  return std::equal(text.begin(), text.end(), expected.begin(), expected.end(),
                    [](char a, char b) { return lower(a) == b; });
}

}  // namespace otss::internal
