#include "data/table/number_format.hpp"

#include <algorithm>
#include <array>

#include "data/table/number_text.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kGroupDigits = 3;  // digits between two separators of thousands

// Removes `token` from the start of `text`, and returns whether it was there.
bool take(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

// White space that people put around and into numbers: the space, the tab, the no-break space and
// the narrow no-break space.
constexpr std::array<std::string_view, 4> kSpaces = {" ", "\t", "\xC2\xA0", "\xE2\x80\xAF"};

void trim(std::string_view& text) {
  bool again = true;
  while (again) {
    again = false;
    for (const std::string_view space : kSpaces) {
      again |= take(text, space);
      if (!text.ends_with(space)) continue;
      text.remove_suffix(space.size());
      again = true;
    }
  }
}

// Removes a currency sign before or after the number, or a percent sign after it.
void take_unit(std::string_view& text) {
  constexpr std::string_view kCurrencies[] = {"$",
                                              "\xE2\x82\xAC" /* euro */,
                                              "\xC2\xA3" /* pound */,
                                              "\xC2\xA5" /* yen */,
                                              "USD",
                                              "EUR",
                                              "GBP",
                                              "CHF",
                                              "JPY"};
  bool found = false;
  for (const std::string_view currency : kCurrencies) {
    if (found) break;
    found = take(text, currency);
    if (!found && text.ends_with(currency)) {
      text.remove_suffix(currency.size());
      found = true;
    }
  }
  if (!found && text.ends_with('%')) text.remove_suffix(1);
  trim(text);
}

// Removes a sign; returns true for a minus.
bool take_minus(std::string_view& text) {
  if (take(text, "-") || take(text, "\xE2\x88\x92")) return true;
  take(text, "+");
  return false;
}

// Removes a minus behind the number, as SAP writes it.
bool take_last_minus(std::string_view& text) {
  if (!text.ends_with('-')) return false;
  text.remove_suffix(1);
  return true;
}

// Appends the digits at the start of `text` and removes them from it; returns how many there are.
std::size_t take_digits(std::string_view& text, std::string& digits) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  digits += text.substr(0, count);
  text.remove_prefix(count);
  return count;
}

// Returns the separator of thousands at the start of `text`; empty if there is none.
std::string_view separator_at(std::string_view text, char decimal) {
  const std::string_view other = decimal == '.' ? "," : ".";
  for (const std::string_view separator : {other, std::string_view("'"), kSpaces[0], kSpaces[2],
                                           kSpaces[3], std::string_view("\xE2\x80\x99")}) {
    if (text.starts_with(separator)) return separator;
  }
  return {};
}

// Removes the whole part of a number from `text` and appends its digits to `digits`. The whole part
// may have groups of three digits, with the same separator between all groups. Returns false if the
// groups are not correct.
bool take_whole(std::string_view& text, char decimal, std::string& digits) {
  std::size_t count = take_digits(text, digits);
  const std::string_view separator = separator_at(text, decimal);
  if (separator.empty()) return true;  // ".5" has no whole part
  // In "0,500" and "1234,500" the comma does not separate thousands.
  if (count == 0 || count > kGroupDigits || digits.front() == '0') return false;
  while (take(text, separator)) {
    count = take_digits(text, digits);
    if (count != kGroupDigits) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> plain_number(std::string_view text, char decimal) {
  trim(text);
  bool negative = false;
  if (text.starts_with('(') && text.ends_with(')')) {
    negative = true;
    text = text.substr(1, text.size() - 2);
  }
  const std::size_t before_sign = text.size();
  negative |= take_minus(text);
  const bool has_sign = text.size() < before_sign;
  take_unit(text);
  if (!has_sign) negative |= take_minus(text) || take_last_minus(text);
  std::string number = negative ? "-" : "";
  std::string digits;
  if (!take_whole(text, decimal, digits)) return std::nullopt;
  if (text.starts_with(decimal)) {
    text.remove_prefix(1);
    digits += '.';
    take_digits(text, digits);
  }
  // The rest of the text may only be an exponent. is_number checks this.
  number += digits;
  number += text;
  if (number.empty() || digits.empty() || !is_number(number)) return std::nullopt;
  return number;
}

std::optional<double> parse_written_number(std::string_view text, char decimal) {
  // With the decimal sign ',', the text "1.234" means 1234, and "1.5" is not a number. So these
  // texts are not parsed as plain numbers.
  if (decimal == '.' || text.find('.') == std::string_view::npos) {
    if (const auto value = parse_number(text)) return value;
  }
  const auto plain = plain_number(text, decimal);
  return plain ? parse_number(*plain) : std::nullopt;
}

}  // namespace otss::internal
