#include "data/table/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "data/table/trimmed.hpp"

namespace otss::internal {

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  // std::from_chars would accept "nan(…)", which is not a number here.
  if (text.empty() || text.ends_with(')')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  // Outside the range of f64 std::from_chars gives no value, and strtod gives an infinity or 0.
  if (error == std::errc::result_out_of_range)
    return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

bool is_number(std::string_view text) { return parse_number(text).has_value(); }

bool is_whole_number(std::string_view text) {
  if (is_code(text) || text == "-0") return false;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_code(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

void append_number(std::string& text, double value) {
  constexpr double kExactIntegers = 1e15;
  std::array<char, 32> buffer{};
  const bool whole = std::trunc(value) == value && std::abs(value) < kExactIntegers;
  const bool negative_zero = value == 0 && std::signbit(value);
  const auto end =
      whole && !negative_zero
          ? std::to_chars(buffer.begin(), buffer.end(), static_cast<long long>(value)).ptr
          : std::to_chars(buffer.begin(), buffer.end(), value).ptr;
  text.append(buffer.begin(), end);
}

}  // namespace otss::internal
