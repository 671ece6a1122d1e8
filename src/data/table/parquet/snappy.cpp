#include "data/table/parquet/snappy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "data/table/parquet/compact_writer.hpp"

namespace otss::internal::parquet {
namespace {

constexpr std::size_t kBlock = std::size_t{1}
                               << 16U;  // repeats are looked for within so many bytes
constexpr std::size_t kShortest = 4;    // the shortest repeat

void append_16_bits(std::string& out, std::size_t number) {
  out += static_cast<char>(number);
  out += static_cast<char>(number >> 8U);
}

void append_literal(std::string& out, std::string_view bytes) {
  constexpr std::size_t kLongestInTag = 60;
  constexpr char kTwoLengthBytes = static_cast<char>(61U << 2U);
  if (bytes.empty()) return;
  if (bytes.size() <= kLongestInTag) {
    out += static_cast<char>((bytes.size() - 1) << 2U);
  } else {
    out += kTwoLengthBytes;
    append_16_bits(out, bytes.size() - 1);
  }
  out += bytes;
}

// Repeats `length` bytes that began `distance` bytes before.
void append_copy(std::string& out, std::size_t distance, std::size_t length) {
  constexpr std::size_t kLongest = 64;
  constexpr unsigned kTwoDistanceBytes = 2;
  for (std::size_t part = 0; length > 0; length -= part) {
    part = std::min(length, kLongest);
    out += static_cast<char>((part - 1) << 2U | kTwoDistanceBytes);
    append_16_bits(out, distance);
  }
}

void append_block(std::string& out, std::string_view block) {
  constexpr unsigned kTableBits = 13, kWordBits = 32;
  std::array<std::uint16_t, 1U << kTableBits> last_places{};  // by the hash of the bytes there
  const auto word_at = [&](std::size_t place) {
    std::uint32_t word = 0;
    std::memcpy(&word, block.data() + place, sizeof(word));
    return word;
  };
  std::size_t written = 0;
  for (std::size_t place = 0; place + kShortest <= block.size();) {
    const std::uint32_t word = word_at(place);
    std::uint16_t& last = last_places[word * 0x1E35A7BDU >> (kWordBits - kTableBits)];
    const std::size_t before = last;
    last = static_cast<std::uint16_t>(place);
    if (before >= place || word_at(before) != word) {
      place += 1 + (place - written) / 32;  // through bytes without repeats in larger steps
      continue;
    }
    std::size_t length = kShortest;
    while (place + length < block.size() && block[before + length] == block[place + length])
      ++length;
    append_literal(out, block.substr(written, place - written));
    append_copy(out, place - before, length);
    written = place += length;
  }
  append_literal(out, block.substr(written));
}

}  // namespace

std::string compressed(std::string_view bytes) {
  std::string out;
  append_varint(out, bytes.size());
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kBlock, bytes.size())))
    append_block(out, bytes.substr(0, kBlock));
  return out;
}

}  // namespace otss::internal::parquet
