// Small numbers in few bits: the encoding that Parquet calls "RLE / bit-packing hybrid", for
// definition levels and for positions in a dictionary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal::parquet {

inline constexpr int kBitsOfByte = 8;

// Returns how many bits the numbers up to `largest` need; at least 1.
int bits_for(std::uint32_t largest);

// Appends numbers of `bits` bits each: as one run if they are equal, otherwise packed.
void append_bits(std::string& bytes, std::span<const std::uint32_t> numbers, int bits);

// Returns the `count` numbers that append_bits() has written.
std::vector<std::uint32_t> read_bits(std::string_view bytes, std::size_t count, int bits);

}  // namespace otss::internal::parquet
