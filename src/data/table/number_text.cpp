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

std::optional<double> short_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;  // the digits of a number that fits in 64 bits
  constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53U;
  // Both the digits and the power of ten are exact, so their quotient is correctly rounded.
  constexpr std::array<double, kMostDigits + 1> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                           1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                           1e14, 1e15, 1e16, 1e17, 1e18};
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative ? 1 : 0);
  if (text.empty() || text.size() > kMostDigits + 1 || !is_digit(text.back())) return std::nullopt;
  std::uint64_t digits = 0;
  std::size_t point = text.size();  // the position of the decimal point
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      digits = 10 * digits + static_cast<std::uint64_t>(text[i] - '0');
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return std::nullopt;
    }
  }
  const std::size_t decimals = point == text.size() ? 0 : text.size() - point - 1;
  if (digits > kExactIntegers || decimals > kMostDigits) return std::nullopt;
  const double size = static_cast<double>(digits) / kPowers[decimals];
  return is_negative ? -size : size;
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
