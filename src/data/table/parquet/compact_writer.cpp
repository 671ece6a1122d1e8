#include "data/table/parquet/compact_writer.hpp"

#include <cassert>

namespace otss::internal::parquet {
namespace {

// The numbers of the types in the protocol.
constexpr int kTrue = 1, kFalse = 2, kNumber32 = 5, kNumber64 = 6, kBytes = 8, kList = 9,
              kStruct = 12;

// Small negative numbers become small positive ones.
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

void append_text(std::string& bytes, std::string_view text) {
  append_varint(bytes, text.size());
  bytes += text;
}

}  // namespace

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(0x80U | (value & 0x7FU));
  bytes += static_cast<char>(value);
}

void CompactWriter::begin_field(int field, int type) {
  const int step = field - last_fields_.back();
  assert(step > 0 && step < 16);
  bytes_ += static_cast<char>(step << 4 | type);
  last_fields_.back() = field;
}

void CompactWriter::add(int field, std::int32_t value) {
  begin_field(field, kNumber32);
  append_varint(bytes_, zigzag(value));
}

void CompactWriter::add(int field, std::int64_t value) {
  begin_field(field, kNumber64);
  append_varint(bytes_, zigzag(value));
}

void CompactWriter::add(int field, bool value) { begin_field(field, value ? kTrue : kFalse); }

void CompactWriter::add(int field, std::string_view value) {
  begin_field(field, kBytes);
  append_text(bytes_, value);
}

void CompactWriter::begin_struct(int field) {
  begin_field(field, kStruct);
  begin_element();
}

void CompactWriter::begin_element() { last_fields_.push_back(0); }

void CompactWriter::end_struct() {
  bytes_ += '\0';
  last_fields_.pop_back();
}

void CompactWriter::begin_list(int field, int type, std::size_t count) {
  constexpr std::size_t kLong = 15;
  begin_field(field, kList);
  bytes_ += static_cast<char>(static_cast<int>(count < kLong ? count : kLong) << 4 | type);
  if (count >= kLong) append_varint(bytes_, count);
}

void CompactWriter::begin_structs(int field, std::size_t count) {
  begin_list(field, kStruct, count);
}

void CompactWriter::add_list(int field, const std::vector<std::int32_t>& values) {
  begin_list(field, kNumber32, values.size());
  for (const std::int32_t value : values) append_varint(bytes_, zigzag(value));
}

void CompactWriter::add_list(int field, const std::vector<std::string>& values) {
  begin_list(field, kBytes, values.size());
  for (const std::string& value : values) append_text(bytes_, value);
}

}  // namespace otss::internal::parquet
