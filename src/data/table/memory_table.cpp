#include <fmt/core.h>

#include <algorithm>

#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

MemoryColumn reader_of(const NamedColumn& column) {
  MemoryColumn reader{.name = column.name};
  if (column.texts.empty()) {
    reader.numbers = [numbers = column.numbers](std::size_t first, std::span<double> values) {
      std::ranges::copy(numbers.subspan(first, values.size()), values.begin());
    };
  } else {
    reader.texts = [texts = column.texts](std::size_t first, std::span<std::string_view> values) {
      std::ranges::copy(texts.subspan(first, values.size()), values.begin());
    };
  }
  return reader;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

TableSource table_in_memory(std::string name, const std::vector<NamedColumn>& columns) {
  const auto num_rows = [](const NamedColumn& column) {
    return column.numbers.size() + column.texts.size();
  };
  MemoryTable table{.name = std::move(name)};
  for (const NamedColumn& column : columns) {
    if (table.columns.empty()) table.num_rows = num_rows(column);
    if (num_rows(column) != table.num_rows) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("'{}': column '{}' has {} rows, but column '{}' has {} rows; give all "
                      "columns the same number of rows",
                      table.name, column.name, num_rows(column), columns.front().name,
                      table.num_rows));
    }
    table.columns.push_back(reader_of(column));
  }
  return {.memory = std::make_shared<const MemoryTable>(std::move(table))};
}

}  // namespace otss
