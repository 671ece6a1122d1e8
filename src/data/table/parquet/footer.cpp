#include "data/table/parquet/footer.hpp"

#include <bit>
#include <cstdint>
#include <optional>

#include "base/version.hpp"
#include "data/table/parquet/bit_runs.hpp"
#include "data/table/parquet/compact_writer.hpp"
#include "data/table/parquet/format_numbers.hpp"

namespace otss::internal::parquet {
namespace {

std::int32_t physical_type(Storage storage) {
  switch (storage) {
    case Storage::kBoolean: return 0;
    case Storage::kInt32:
    case Storage::kUint32: return 1;
    case Storage::kInt64:
    case Storage::kUint64: return 2;
    case Storage::kFloat: return 4;
    case Storage::kDouble: return 5;
    case Storage::kText: return 6;
    case Storage::kWide: return 7;  // bytes of fixed number
  }
  return 0;
}

// Returns the ConvertedType. A local time has none.
std::optional<std::int32_t> converted_type(const StoredType& type) {
  constexpr int kUtf8 = 0, kDecimal = 5, kDate = 6, kMicros = 10, kUint8 = 11, kInt8 = 15;
  switch (type.meaning) {
    case Meaning::kDecimal: return kDecimal;
    case Meaning::kDate: return kDate;
    case Meaning::kTime: return type.is_utc ? std::optional(kMicros) : std::nullopt;
    case Meaning::kWholeNumber: {
      const bool is_signed = type.storage == Storage::kInt32 || type.storage == Storage::kInt64;
      const auto bytes = static_cast<unsigned>(type.bits / kBitsOfByte);
      return (is_signed ? kInt8 : kUint8) + std::countr_zero(bytes);
    }
    case Meaning::kItself: break;
  }
  return type.storage == Storage::kText ? std::optional(kUtf8) : std::nullopt;
}

// Writes the LogicalType of a time. Those of the other types follow from their ConvertedType.
void write_time(CompactWriter& schema, const StoredType& type) {
  constexpr int kMicros = 2, kNanos = 3;
  schema.begin_struct(10);
  schema.begin_struct(8);
  schema.add(1, type.is_utc);
  schema.begin_struct(2);
  schema.begin_struct(type.is_nanos ? kNanos : kMicros);
  for (int i = 0; i < 4; ++i) schema.end_struct();
}

void write_schema(CompactWriter& file, const std::vector<StoredColumn>& columns) {
  file.begin_structs(2, columns.size() + 1);
  file.begin_element();  // the table itself
  file.add(4, std::string_view("schema"));
  file.add(5, static_cast<std::int32_t>(columns.size()));
  file.end_struct();
  for (const StoredColumn& column : columns) {
    const StoredType& type = column.type;
    file.begin_element();
    file.add(1, physical_type(type.storage));
    if (type.storage == Storage::kWide) file.add(2, width_of(type.storage));
    file.add(3, kOptional);
    file.add(4, std::string_view(column.name));
    if (const auto converted = converted_type(type)) file.add(6, *converted);
    if (type.meaning == Meaning::kDecimal) {
      file.add(7, type.decimals);
      file.add(8, type.digits);
    }
    if (type.meaning == Meaning::kTime) write_time(file, type);
    file.end_struct();
  }
}

std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }

void write_chunk(CompactWriter& group, const StoredColumn& column, const ChunkFacts& facts) {
  const bool has_dictionary = facts.num_entries > 0;
  group.begin_element();
  group.add(2, number(facts.position));
  group.begin_struct(3);
  group.add(1, physical_type(column.type.storage));
  group.add_list(2, has_dictionary ? std::vector{kPlain, kBitRuns, kDictionaryCodes}
                                   : std::vector{kPlain, kBitRuns});
  group.add_list(3, std::vector{column.name});
  group.add(4, facts.is_compressed ? kSnappy : kUncompressed);
  group.add(5, number(facts.num_rows));
  group.add(6, number(facts.num_plain_bytes));
  group.add(7, number(facts.num_bytes));
  group.add(9, number(facts.position + facts.page_begin));
  if (has_dictionary) group.add(11, number(facts.position));
  group.begin_struct(12);
  group.add(3, number(facts.num_missing));
  if (facts.bounds) {
    group.add(5, std::string_view(facts.bounds->largest));
    group.add(6, std::string_view(facts.bounds->smallest));
  }
  group.end_struct();
  group.end_struct();
  group.end_struct();
}

void write_group(CompactWriter& file, const std::vector<StoredColumn>& columns,
                 const std::vector<ChunkFacts>& chunks) {
  std::size_t num_bytes = 0;
  for (const ChunkFacts& chunk : chunks) num_bytes += chunk.num_plain_bytes;
  file.begin_element();
  file.begin_structs(1, chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) write_chunk(file, columns[i], chunks[i]);
  file.add(2, number(num_bytes));
  file.add(3, number(chunks.front().num_rows));
  file.end_struct();
}

// Says that bounds are those of the usual order of each type. Without it, readers ignore bounds.
void write_orders(CompactWriter& file, std::size_t num_columns) {
  file.begin_structs(7, num_columns);
  for (std::size_t i = 0; i < num_columns; ++i) {
    file.begin_element();
    file.begin_struct(1);
    file.end_struct();
    file.end_struct();
  }
}

}  // namespace

std::string footer(const std::vector<StoredColumn>& columns,
                   const std::vector<std::vector<ChunkFacts>>& groups) {
  std::string bytes;
  CompactWriter file(bytes);
  file.add(1, std::int32_t{1});  // the version of the format
  write_schema(file, columns);
  std::size_t num_rows = 0;
  for (const auto& chunks : groups) num_rows += chunks.front().num_rows;
  file.add(3, number(num_rows));
  file.begin_structs(4, groups.size());
  for (const auto& chunks : groups) write_group(file, columns, chunks);
  file.add(6, std::string_view(std::string("otss version ") + kVersion));
  write_orders(file, columns.size());
  file.end_struct();
  const auto length = static_cast<std::uint32_t>(bytes.size());
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += kMagic;
  return bytes;
}

}  // namespace otss::internal::parquet
