// Finding a column by the name a user typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

// The known name a mistyped one most likely meant; empty when none is near.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& known);

// "'a', 'b', 'c' and 12 more": never longer than a line wants to be.
std::string list_names(const std::vector<std::string>& names);

// nullptr when there is none.
const ColumnInfo* find_column(std::span<const ColumnInfo> columns, std::string_view name);

// Or an Error naming the table, the option it was wanted for, and the nearest name.
const ColumnInfo& require_column(std::span<const ColumnInfo> columns, std::string_view name,
                                 std::string_view role, std::string_view table);

}  // namespace otss
