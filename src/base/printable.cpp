#include "otss/base/printable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace otss::internal {
namespace {

constexpr std::array<std::string_view, 2> kSchemes{"postgresql://", "postgres://"};

// Returns where the next database address begins, or npos. `scheme` gets the length of its scheme.
std::size_t find_address(std::string_view text, std::size_t from, std::size_t& scheme) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view one : kSchemes) {
    const std::size_t found = text.find(one, from);
    if (found >= first) continue;
    first = found;
    scheme = one.size();
  }
  return first;
}

// Returns true if the parameter of an address, such as port=5432, says only where the database is.
bool says_where(std::string_view parameter) {
  constexpr std::array<std::string_view, 5> kShown{"host", "hostaddr", "port", "dbname", "service"};
  return std::ranges::find(kShown, parameter.substr(0, parameter.find('='))) != kShown.end();
}

// Returns the parameters of an address, which follow the question mark.
std::string shown_parameters(std::string_view parameters) {
  std::string shown;
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find('&'), parameters.size());
    if (says_where(parameters.substr(0, end)))
      shown += (shown.empty() ? '?' : '&') + std::string(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return shown;
}

// Returns what may be shown of an address without its scheme.
std::string shown_address(std::string_view address) {
  // The last @ counts, because a password may contain one by mistake.
  if (const auto user = address.rfind('@'); user != std::string_view::npos)
    address.remove_prefix(user + 1);
  const std::size_t begin = std::min(address.find('?'), address.size());
  if (begin == address.size()) return std::string(address);
  // The parameters end at the table, or at the quotation mark that ends a quoted address.
  const std::size_t end = std::min(address.find_first_of("#'\"", begin), address.size());
  return std::string(address.substr(0, begin)) +
         shown_parameters(address.substr(begin + 1, end - begin - 1)) +
         std::string(address.substr(end));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string printable(std::string_view text, LineBreaks line_breaks) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    // The control characters U+0080 to U+009F are C2 80 to C2 9F in UTF-8.
    const bool is_wide_control = code == 0xC2 && next >= 0x80 && next <= 0x9F;
    const bool is_kept_break = text[i] == '\n' && line_breaks == LineBreaks::kKeep;
    if (is_wide_control) {
      fmt::format_to(std::back_inserter(safe), "\\u{:04x}", next);
      ++i;
    } else if ((code < 0x20 || code == 0x7F) && !is_kept_break) {
      fmt::format_to(std::back_inserter(safe), "\\x{:02x}", code);
    } else {
      safe += text[i];
    }
  }
  return safe;
}

std::string without_passwords(std::string_view text) {
  std::string safe;
  std::size_t scheme = 0, place = 0;
  while (true) {
    const std::size_t address = find_address(text, place, scheme);
    if (address == std::string_view::npos) return safe += text.substr(place);
    const std::size_t host = address + scheme;
    const std::size_t end = std::min(text.find_first_of(" \t\n", host), text.size());
    safe += text.substr(place, host - place);
    safe += shown_address(text.substr(host, end - host));
    place = end;
  }
}

}  // namespace otss
