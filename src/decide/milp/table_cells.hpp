// Reading of the two small tables of the MILP bridge: factor maps and overrides.
#pragma once

#include <fmt/core.h>

#include <string>

#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

// Reads the named columns: the last column as numbers, all other columns as text.
inline Table read_named_columns(const TableReader& reader, const std::string& option,
                                const std::vector<std::string>& names) {
  std::vector<ColumnRequest> wanted;
  for (const std::string& name : names) {
    wanted.push_back({reader.column(name, option).name, name != names.back()});
  }
  return read_table(reader, wanted);
}

inline Error cell_error(const std::string& source, std::size_t row, const std::string& column,
                        const std::string& what) {
  return Error(ErrorCode::kInput,
               fmt::format("{}: row {}, column {}: {}", source, row + 1, column, what));
}

}  // namespace otss::internal
