#include "data/table/parquet/bit_runs.hpp"

#include <algorithm>
#include <bit>

#include "data/table/parquet/compact_writer.hpp"

namespace otss::internal::parquet {
namespace {

constexpr std::size_t kTogether = 8;  // packed numbers come in groups of eight

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
}

void append_packed(std::string& bytes, std::span<const std::uint32_t> numbers, int bits) {
  const std::size_t groups = (numbers.size() + kTogether - 1) / kTogether;
  append_varint(bytes, groups << 1U | 1U);
  std::uint64_t waiting = 0;  // the bits that do not fill a byte yet
  int num_waiting = 0;
  for (std::size_t i = 0; i < groups * kTogether; ++i) {
    waiting |= static_cast<std::uint64_t>(i < numbers.size() ? numbers[i] : 0) << num_waiting;
    for (num_waiting += bits; num_waiting >= kBitsOfByte;
         num_waiting -= kBitsOfByte, waiting >>= 8U)
      bytes += static_cast<char>(waiting);
  }
}

}  // namespace

int bits_for(std::uint32_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(largest)));
}

void append_bits(std::string& bytes, std::span<const std::uint32_t> numbers, int bits) {
  if (numbers.empty()) return;
  const auto is_first = [&](std::uint32_t number) { return number == numbers.front(); };
  if (!std::ranges::all_of(numbers, is_first)) return append_packed(bytes, numbers, bits);
  append_varint(bytes, numbers.size() << 1U);
  for (int shift = 0; shift < bits; shift += kBitsOfByte)
    bytes += static_cast<char>(numbers.front() >> static_cast<unsigned>(shift));
}

std::vector<std::uint32_t> read_bits(std::string_view bytes, std::size_t count, int bits) {
  std::vector<std::uint32_t> numbers(count);
  if (count == 0) return numbers;
  const bool is_packed = (take_varint(bytes) & 1U) == 1U;
  std::uint64_t waiting = 0;
  int num_waiting = 0;
  for (std::uint32_t& number : numbers) {
    if (!is_packed && &number != numbers.data()) {
      number = numbers.front();
      continue;
    }
    for (; num_waiting < bits; num_waiting += kBitsOfByte, bytes.remove_prefix(1))
      waiting |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes.front()))
                 << num_waiting;
    number = static_cast<std::uint32_t>(waiting & ((std::uint64_t{1} << bits) - 1));
    waiting >>= static_cast<unsigned>(bits);
    num_waiting -= bits;
  }
  return numbers;
}

}  // namespace otss::internal::parquet
