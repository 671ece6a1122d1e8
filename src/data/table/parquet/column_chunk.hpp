// A column of a row group, as bytes of a Parquet file: perhaps a page with a dictionary, and one page
// with the values of all rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "data/table/parquet/plain_values.hpp"

namespace otss::internal::parquet {

// What the file's metadata say about a column chunk, and what is needed to read it back.
struct ChunkFacts {
  Storage storage = Storage::kText;
  std::size_t position = 0;  // of its first byte in the file
  std::size_t num_bytes = 0;
  bool is_compressed = false;
  std::size_t num_plain_bytes = 0;  // without compression
  std::size_t num_rows = 0, num_missing = 0;
  std::size_t num_entries = 0;    // of the dictionary; 0 if there is none
  std::size_t entries_begin = 0;  // where the bytes of the dictionary begin in the chunk
  std::size_t page_begin = 0;     // where the page of the values begins, with its header
  std::size_t levels_begin = 0;   // where the bytes of this page begin
  std::optional<Bounds> bounds;
};

struct ColumnChunk {
  ChunkFacts facts;
  std::string head, body;  // the bytes, in two pieces
};

ColumnChunk encode(PlainValues values);

// Returns the values of a column chunk of other values than texts, from its bytes.
PlainValues decode(std::string_view bytes, const ChunkFacts& facts);

}  // namespace otss::internal::parquet
