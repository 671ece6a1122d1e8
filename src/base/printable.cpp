#include "otss/base/printable.hpp"

#include <fmt/core.h>

#include <iterator>

namespace otss {

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

}  // namespace otss
