#include "data/table/columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "data/table/letter_case.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Returns the Levenshtein distance of two texts. Only one row of the table of distances is kept in
// memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& known) {
  const std::string wanted = lower_case(typed);
  // Two names are similar if at most a third of the letters differ. In a short name, one letter may
  // differ. So 'x1' is similar to 'x2', but 'age' is not similar to 'price'.
  std::size_t best = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  std::string nearest;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wanted, lower_case(name));
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i) {
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kMostShown) list += fmt::format(" and {} more", names.size() - kMostShown);
  return list;
}

const ColumnInfo* find_column(std::span<const ColumnInfo> columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ColumnInfo& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const ColumnInfo& require_column(std::span<const ColumnInfo> columns, std::string_view name,
                                 std::string_view role, std::string_view table) {
  if (const ColumnInfo* found = find_column(columns, name)) return *found;
  std::vector<std::string> names;
  // Columns that the reading rules make from others are not columns of the table.
  for (const ColumnInfo& column : columns) {
    if (column.made_from.empty()) names.push_back(column.name);
  }
  if (names.size() == 1 && names.front().find(' ') != std::string::npos) {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}' has only one column, '{}'; separate columns by a comma, a "
                            "semicolon, a tab or |",
                            table, names.front()));
  }
  const std::string nearest = nearest_name(name, names);
  const std::string wanted_for = role.empty() ? "" : fmt::format(" ({})", role);
  const std::string way_out = nearest.empty() ? fmt::format("its columns are {}", list_names(names))
                                              : fmt::format("did you mean '{}'?", nearest);
  throw Error(ErrorCode::kInput,
              fmt::format("'{}' has no column '{}'{}; {}", table, name, wanted_for, way_out));
}

void check_column_names(const std::vector<std::string>& names, const std::string& table) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    // DuckDB does not distinguish upper and lower case in names.
    if (!seen.insert(lower_case(name)).second) {
      throw Error(ErrorCode::kInput,
                  fmt::format("'{}' has two columns with the name '{}' (upper and lower case are "
                              "not distinguished); rename one of them, or leave it out",
                              table, name));
    }
  }
  if (names.empty()) {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}' has no columns; give at least one column", table));
  }
}

}  // namespace otss::internal
