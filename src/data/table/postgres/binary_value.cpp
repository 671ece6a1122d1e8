#include "data/table/postgres/binary_value.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <limits>
#include <vector>

namespace otss::internal::postgres {
namespace {

enum class NumericSign : std::uint16_t {
  kPositive = 0x0000,
  kNegative = 0x4000,
  kNan = 0xC000,
  kPlusInfinity = 0xD000,
  kMinusInfinity = 0xF000,
};

// A numeric is ± Σ_i digits[i] · 10000^(weight − i).
struct Numeric {
  NumericSign sign = NumericSign::kPositive;
  int weight = 0;
  std::vector<int> digits;  // each from 0 to 9999
};

std::optional<Numeric> parse_numeric(std::string_view bytes) {
  constexpr std::size_t kHeader = 8;
  if (bytes.size() < kHeader) return std::nullopt;
  const auto num_digits = load<std::uint16_t>(bytes);
  if (bytes.size() != kHeader + 2 * std::size_t{num_digits}) return std::nullopt;
  Numeric numeric{.sign = NumericSign{load<std::uint16_t>(bytes.substr(4))},
                  .weight = load<std::int16_t>(bytes.substr(2))};
  for (std::size_t i = 0; i < num_digits; ++i)
    numeric.digits.push_back(load<std::int16_t>(bytes.substr(kHeader + 2 * i)));
  return numeric;
}

// Returns the value as the text of a decimal number.
std::string decimal_text(const Numeric& numeric) {
  std::string text = numeric.sign == NumericSign::kNegative ? "-0" : "0";
  for (const int digit : numeric.digits) fmt::format_to(std::back_inserter(text), "{:04}", digit);
  const auto num_digits = static_cast<int>(numeric.digits.size());
  return fmt::format("{}e{}", text, 4 * (numeric.weight + 1 - num_digits));
}

}  // namespace

std::optional<double> numeric_as_double(std::string_view bytes) {
  const std::optional<Numeric> numeric = parse_numeric(bytes);
  if (!numeric) return std::nullopt;
  if (numeric->sign == NumericSign::kNan) return std::numeric_limits<double>::quiet_NaN();
  if (numeric->sign == NumericSign::kPlusInfinity) return std::numeric_limits<double>::infinity();
  if (numeric->sign == NumericSign::kMinusInfinity) return -std::numeric_limits<double>::infinity();
  const std::string text = decimal_text(*numeric);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  // The number is larger than every double, or smaller than the smallest one.
  const double limit = numeric->weight > 0 ? std::numeric_limits<double>::infinity() : 0;
  return numeric->sign == NumericSign::kNegative ? -limit : limit;
}

std::optional<std::int64_t> numeric_as_decimal(std::string_view bytes, int scale) {
  constexpr std::int64_t kLimit = 1'000'000'000'000'000'000;
  const std::optional<Numeric> numeric = parse_numeric(bytes);
  if (!numeric || numeric->sign > NumericSign::kNegative) return std::nullopt;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < numeric->digits.size(); ++i) {
    std::int64_t part = numeric->digits[i];
    int power = 4 * (numeric->weight - static_cast<int>(i)) + scale;
    for (; power > 0 && part != 0; --power) {
      if (__builtin_mul_overflow(part, 10, &part)) return std::nullopt;
    }
    for (; power < 0 && part != 0; ++power) {
      if (part % 10 != 0) return std::nullopt;
      part /= 10;
    }
    if (__builtin_add_overflow(value, part, &value) || value >= kLimit) return std::nullopt;
  }
  return numeric->sign == NumericSign::kNegative ? -value : value;
}

}  // namespace otss::internal::postgres
