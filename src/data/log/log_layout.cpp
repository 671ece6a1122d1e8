#include "data/log/log_layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "data/table/columns.hpp"
#include "data/terms/term_columns.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// A role of a column. `word` is the name of the role in the fingerprint. `word` must never change,
// because otherwise models could no longer recognise their training logs. `option` is the
// command-line option that sets the role.
struct Role {
  std::string_view word, option;
};
constexpr Role kContext{"context", "--context"};
constexpr Role kFactor{"factor", "--factors"};
constexpr Role kOutcome{"outcome", "--outcome"};
constexpr Role kWeight{"weight", "--weight"};
constexpr Role kGroup{"group", "--group"};
constexpr Role kTime{"time", "--time"};
constexpr Role kUnit{"unit", "--unit"};
constexpr Role kExcluded{"excluded", "--exclude"};

struct Assignment {
  std::string column;
  Role role;
};

bool wants_all(const Roles& roles) { return roles.contexts == std::vector<std::string>{"all"}; }

// Returns every column that a role names. Columns that are contexts only because of
// `--context all` are not included.
std::vector<Assignment> assignments(const Roles& roles) {
  std::vector<Assignment> all;
  const auto add = [&all](const std::string& column, const Role& role) {
    if (!column.empty()) all.push_back({column, role});
  };
  if (!wants_all(roles)) {
    for (const std::string& column : roles.contexts) add(column, kContext);
  }
  for (const std::string& column : roles.factors) add(column, kFactor);
  add(roles.outcome, kOutcome);
  add(roles.weight, kWeight);
  add(roles.group, kGroup);
  add(roles.time, kTime);
  add(roles.unit, kUnit);
  for (const std::string& column : roles.exclude) add(column, kExcluded);
  return all;
}

void refuse_empty_names(const Roles& roles) {
  const auto check = [](std::string_view option, const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), "") == names.end()) return;
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: one of the column names in the list is empty; remove the extra "
                            "comma from the list",
                            option));
  };
  check("--context", roles.contexts);
  check("--factors", roles.factors);
  check("--exclude", roles.exclude);
}

void require_roles(const Roles& roles) {
  refuse_empty_names(roles);
  const auto missing = [](const char* option, const char* way_out) {
    return Error(ErrorCode::kUsage, fmt::format("{} names no column; {}", option, way_out));
  };
  if (roles.contexts.empty())
    throw missing("--context", "list the context columns, or give --context all");
  if (roles.factors.empty())
    throw missing("--factors", "list the columns that describe a decision");
  if (roles.outcome.empty()) throw missing("--outcome", "name the column that holds the outcome");
}

Error two_roles(const std::string& column, std::string_view one, std::string_view other) {
  return {ErrorCode::kUsage,
          fmt::format("column '{}' is given to both {} and {}; give it to only one of them", column,
                      one, other)};
}

std::map<std::string, std::string_view> check_assignments(const Roles& roles,
                                                          std::span<const ColumnInfo> columns,
                                                          const std::string& table) {
  std::map<std::string, std::string_view> option_of;
  for (const auto& [column, role] : assignments(roles)) {
    if (role.option == kFactor.option) {
      require_factor(columns, column, role.option, table);
    } else {
      require_column(columns, column, role.option, table);
    }
    const auto [earlier, is_new] = option_of.emplace(column, role.option);
    if (is_new) continue;
    if (earlier->second != role.option) throw two_roles(column, earlier->second, role.option);
    throw Error(ErrorCode::kUsage,
                fmt::format("{} names column '{}' twice; name it once", role.option, column));
  }
  // The columns of terms describe the decision, so they can have no other role.
  for (const std::string& factor : roles.factors) {
    const std::optional<Term> term = term_of(columns, factor);
    for (const std::string& column : term ? term->columns : std::vector<std::string>()) {
      const auto earlier = option_of.emplace(column, kFactor.option).first;
      if (earlier->second != kFactor.option)
        throw two_roles(column, earlier->second, kFactor.option);
    }
  }
  return option_of;
}

std::optional<std::size_t> request(LogLayout& layout, const std::string& column,
                                   bool as_text = false) {
  if (column.empty()) return std::nullopt;
  layout.requests.push_back({column, as_text});
  return layout.requests.size() - 1;
}

}  // namespace

std::vector<std::string> LogLayout::described() const {
  std::vector<std::string> names;
  for (const auto& [column, role] : assignments(roles))
    names.push_back(fmt::format("{} {}", role.word, column));
  return names;
}

std::vector<std::string> LogLayout::described_by_option() const {
  std::vector<std::string> names;
  for (const auto& [column, role] : assignments(roles))
    names.push_back(fmt::format("{} {}", role.option, column));
  return names;
}

std::string LogLayout::row(std::size_t index) const {
  return find_row ? find_row(index) : fmt::format("row {}", index + 1);
}

std::string LogLayout::prefix() const { return table.empty() ? "" : fmt::format("'{}': ", table); }

LogLayout lay_out_log(const Roles& roles, std::span<const ColumnInfo> columns,
                      const std::string& table) {
  require_roles(roles);
  const auto option_of = check_assignments(roles, columns, table);
  LogLayout layout;
  layout.table = table;
  layout.roles = roles;
  layout.roles.exclude.clear();
  if (wants_all(roles)) {
    layout.roles.contexts.clear();
    for (const ColumnInfo& column : columns) {
      if (!option_of.contains(column.name)) layout.roles.contexts.push_back(column.name);
    }
    if (layout.roles.contexts.empty()) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("--context all: every column of '{}' is already given to another "
                              "option, so no context column is left; add a column to the table, or "
                              "name fewer columns in the other options",
                              table));
    }
  }
  const auto is_text = [&](const std::string& name) {
    const ColumnInfo* column = find_column(columns, name);
    return column != nullptr && column->kind == ColumnKind::kText;
  };
  for (const std::string& name : layout.roles.contexts) {
    layout.requests.push_back({name, is_text(name), TextForm::kLevel, true});
    layout.types.push_back(find_column(columns, name)->type);
  }
  for (const std::string& name : layout.roles.factors) {
    request(layout, name);
    layout.terms.push_back(term_of(columns, name));
  }
  layout.outcome = request(layout, roles.outcome).value();
  layout.weight = request(layout, roles.weight);
  layout.group = request(layout, roles.group, is_text(roles.group));
  layout.time = request(layout, roles.time);
  layout.unit = request(layout, roles.unit, true);
  return layout;
}

}  // namespace otss::internal
