// This header reads and writes values in the binary format of PostgreSQL: integers and floats are
// big-endian; dates and times count from 2000-01-01.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace otss::internal::postgres {

static_assert(std::endian::native == std::endian::little);

template <class Integer>
Integer swapped(Integer value) {
  if constexpr (sizeof(Integer) == 8) return static_cast<Integer>(__builtin_bswap64(value));
  if constexpr (sizeof(Integer) == 4) return static_cast<Integer>(__builtin_bswap32(value));
  if constexpr (sizeof(Integer) == 2) return static_cast<Integer>(__builtin_bswap16(value));
  return value;
}

// Returns the value at the beginning of `bytes`, which must have at least its size.
template <class Value>
Value load(std::string_view bytes) {
  using Bits = std::conditional_t<
      sizeof(Value) == 8, std::uint64_t,
      std::conditional_t<sizeof(Value) == 4, std::uint32_t,
                         std::conditional_t<sizeof(Value) == 2, std::uint16_t, std::uint8_t>>>;
  Bits bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof(Bits));
  return std::bit_cast<Value>(swapped(bits));
}

template <class Integer>
void append_integer(std::string& bytes, Integer value) {
  const auto bits = swapped(std::bit_cast<std::make_unsigned_t<Integer>>(value));
  bytes.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
}

// Returns the number of a value of type numeric; NaN and infinities are kept. The result is the
// double that is nearest to the decimal number. Returns nothing if the bytes are not a numeric.
std::optional<double> numeric_as_double(std::string_view bytes);

// Returns a numeric times 10^scale, if this is a whole number of at most 18 digits.
std::optional<std::int64_t> numeric_as_decimal(std::string_view bytes, int scale);

}  // namespace otss::internal::postgres
