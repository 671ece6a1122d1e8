// This header reads the two small tables of the MilpBridge: the factor map and the overrides.
#pragma once

#include <fmt/core.h>

#include <string>

#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

// Reads the columns with these names. The last column is read as numbers, all other columns are
// read as text.
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
