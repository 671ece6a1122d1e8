#include "data/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace otss {

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

}  // namespace otss
