#include "data/table/append_chunk.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

void append(const ColumnChunk& chunk, Column& column) {
  if (chunk.kind == ColumnKind::kNumber) {
    column.numbers.insert(column.numbers.end(), chunk.numbers.begin(), chunk.numbers.end());
    for (const double number : chunk.numbers) column.missing.push_back(number != number);
    return;
  }
  for (const std::string_view text : chunk.texts) {
    column.texts.emplace_back(text);
    column.missing.push_back(text.data() == nullptr);
  }
}

}  // namespace

void append(const TableChunk& chunk, Table& table) {
  table.num_rows += chunk.num_rows;
  for (std::size_t i = 0; i < table.columns.size(); ++i) append(chunk.columns[i], table.columns[i]);
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

Table read_table(const TableReader& reader, const std::vector<ColumnRequest>& columns) {
  Table table;
  for (const ColumnRequest& request : columns) {
    const ColumnKind kind = request.as_text ? ColumnKind::kText : ColumnKind::kNumber;
    table.columns.push_back({request.name, kind, {}, {}, {}});
  }
  reader.read(columns, [&](const TableChunk& chunk) { append(chunk, table); });
  return table;
}

}  // namespace otss
