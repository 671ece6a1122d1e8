// These functions find a column by the name that a user typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal {

// Returns the known name that is most similar to a mistyped name, or an empty text if no known name
// is similar enough.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& known);

// Returns the names as a list such as "'a', 'b', 'c'". Only the first 12 names are listed, so that
// a message fits on a line. Further names are only counted: "… and 5 more".
std::string list_names(const std::vector<std::string>& names);

// Returns the column with this name, or nullptr if no column has this name.
const ColumnInfo* find_column(std::span<const ColumnInfo> columns, std::string_view name);

// Returns the column with this name. If no column has this name, throws an Error that names the
// table, the option that needs the column (`role`), and the most similar column.
const ColumnInfo& require_column(std::span<const ColumnInfo> columns, std::string_view name,
                                 std::string_view role, std::string_view table);

// Throws an Error if there are no names, or if two names are equal. `table` is the name of the table
// in messages.
void check_column_names(const std::vector<std::string>& names, const std::string& table);

}  // namespace otss::internal
