#include "data/table/parquet/column_chunk.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "data/table/parquet/bit_runs.hpp"
#include "data/table/parquet/compact_writer.hpp"
#include "data/table/parquet/format_numbers.hpp"
#include "data/table/parquet/snappy.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::parquet {
namespace {

// The format counts the bytes of a page in 31 bits.
std::int32_t page_size(std::size_t num_bytes) {
  if (num_bytes > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::kInput,
                "a text of 2 GB does not fit into a Parquet file; keep other columns or write CSV");
  return static_cast<std::int32_t>(num_bytes);
}

std::string header_of_dictionary(const PlainValues& entries) {
  std::string bytes;
  CompactWriter header(bytes);
  header.add(1, kDictionaryPage);
  header.add(2, page_size(entries.bytes.size()));  // without compression
  header.add(3, page_size(entries.bytes.size()));  // with compression
  header.begin_struct(7);
  header.add(1, static_cast<std::int32_t>(entries.size()));
  header.add(2, kPlain);
  header.end_struct();
  header.end_struct();
  return bytes;
}

std::string header_of_page(std::size_t num_plain_bytes, std::size_t num_bytes, std::size_t num_rows,
                           std::int32_t encoding) {
  std::string bytes;
  CompactWriter header(bytes);
  header.add(1, kDataPage);
  header.add(2, page_size(num_plain_bytes));
  header.add(3, page_size(num_bytes));
  header.begin_struct(5);
  header.add(1, static_cast<std::int32_t>(num_rows));
  header.add(2, encoding);
  header.add(3, kBitRuns);  // of the definition levels
  header.add(4, kBitRuns);  // of the repetition levels, which columns without lists do not have
  header.end_struct();
  header.end_struct();
  return bytes;
}

// The definition level of a row says whether its value is present.
std::string levels_of(const PlainValues& values) {
  std::string runs;
  if (values.present.empty()) {
    append_varint(runs, values.num_rows << 1U);
    runs += '\1';
  } else {
    append_bits(runs, values.present, 1);
  }
  const auto length = static_cast<std::uint32_t>(runs.size());
  return std::string(reinterpret_cast<const char*>(&length), kLengthBytes) + runs;
}

// Eight booleans in a byte.
std::string packed_booleans(std::string_view values) {
  std::string packed((values.size() + kBitsOfByte - 1) / kBitsOfByte, '\0');
  for (std::size_t i = 0; i < values.size(); ++i)
    packed[i / kBitsOfByte] |= static_cast<char>(values[i] << i % kBitsOfByte);
  return packed;
}

std::string unpacked_booleans(std::string_view packed, std::size_t count) {
  std::string values;
  for (std::size_t i = 0; i < count; ++i)
    values += static_cast<char>(packed[i / kBitsOfByte] >> i % kBitsOfByte & 1);
  return values;
}

int bits_of_codes(std::size_t num_entries) {
  return bits_for(static_cast<std::uint32_t>(num_entries - 1));
}

std::string bytes_of_codes(const Dictionary& dictionary) {
  const int bits = bits_of_codes(dictionary.values.size());
  std::string bytes(1, static_cast<char>(bits));
  append_bits(bytes, dictionary.codes, bits);
  return bytes;
}

// Compresses the levels and the body of a page together, if that saves bytes. The body then has both.
void compress(const std::string& levels, ColumnChunk& chunk) {
  std::string both = compressed(levels + chunk.body);
  chunk.facts.is_compressed = both.size() < levels.size() + chunk.body.size();
  if (chunk.facts.is_compressed) chunk.body = std::move(both);
}

}  // namespace

ColumnChunk encode(PlainValues values) {
  ColumnChunk chunk;
  ChunkFacts& facts = chunk.facts;
  facts.storage = values.storage;
  facts.num_rows = values.num_rows;
  facts.num_missing = values.num_rows - values.size();
  const bool is_boolean = values.storage == Storage::kBoolean;
  const auto dictionary = is_boolean ? std::nullopt : find_dictionary(values);
  facts.bounds = find_bounds(dictionary ? dictionary->values : values);
  const std::string levels = levels_of(values);
  if (dictionary) {
    facts.num_entries = dictionary->values.size();
    chunk.head = header_of_dictionary(dictionary->values);
    facts.entries_begin = chunk.head.size();
    chunk.head += dictionary->values.bytes;
    chunk.body = bytes_of_codes(*dictionary);
  } else {
    chunk.body = is_boolean ? packed_booleans(values.bytes) : std::move(values.bytes);
  }
  const std::size_t num_plain_bytes = levels.size() + chunk.body.size();
  // Texts without a dictionary are often similar, unlike numbers.
  if (values.storage == Storage::kText && !dictionary) compress(levels, chunk);
  const std::string levels_before = facts.is_compressed ? "" : levels;
  facts.page_begin = chunk.head.size();
  chunk.head += header_of_page(num_plain_bytes, levels_before.size() + chunk.body.size(),
                               values.num_rows, dictionary ? kDictionaryCodes : kPlain);
  facts.levels_begin = chunk.head.size();
  chunk.head += levels_before;
  facts.num_bytes = chunk.head.size() + chunk.body.size();
  facts.num_plain_bytes = facts.levels_begin + num_plain_bytes;
  return chunk;
}

PlainValues decode(std::string_view bytes, const ChunkFacts& facts) {
  const std::string_view page = bytes.substr(facts.levels_begin);
  std::uint32_t num_level_bytes = 0;
  std::memcpy(&num_level_bytes, page.data(), kLengthBytes);
  const auto present = read_bits(page.substr(kLengthBytes), facts.num_rows, 1);
  std::string_view stored = page.substr(kLengthBytes + num_level_bytes);
  const std::size_t width = width_of(facts.storage), count = facts.num_rows - facts.num_missing;
  std::string unpacked;
  if (facts.storage == Storage::kBoolean) stored = unpacked = unpacked_booleans(stored, count);
  std::vector<std::uint32_t> codes;
  if (facts.num_entries > 0) {
    codes = read_bits(stored.substr(1), count, bits_of_codes(facts.num_entries));
    stored = bytes.substr(facts.entries_begin);
  }
  PlainValues values{.storage = facts.storage};
  std::size_t next = 0;
  for (const std::uint32_t is_present : present) {
    if (is_present == 0) {
      values.add_missing();
    } else {
      values.add(stored.substr((codes.empty() ? next : codes[next]) * width, width));
      ++next;
    }
  }
  return values;
}

}  // namespace otss::internal::parquet
