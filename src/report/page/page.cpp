#include "report/page/page.hpp"

#include <stdexcept>

#include "report/page/built_page.hpp"

namespace otss::internal {
namespace {

// Stands in the built page for the facts (web/README.md).
constexpr std::string_view kPlaceholder = "OTSS_FACTS";

std::string without_markup(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    // In JSON, < can only stand inside a text, where this escape means the same.
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page_with_facts(std::string_view facts) {
  const std::string_view page = kBuiltPage;
  const std::size_t at = page.find(kPlaceholder);
  if (at == std::string_view::npos) throw std::logic_error("the built page has no place for facts");
  std::string result(page.substr(0, at));
  result += without_markup(facts);
  result += page.substr(at + kPlaceholder.size());
  return result;
}

}  // namespace otss::internal
