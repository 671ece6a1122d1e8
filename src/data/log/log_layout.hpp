// Which columns of a log are read, in which order, and what each is for.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

// Columns are read in this order: contexts, factors, outcome, then weight, group and time where
// given.
struct LogLayout {
  std::string table;  // for messages; empty for columns in memory
  Roles roles;        // contexts by name, nothing excluded
  std::vector<ColumnRequest> requests;
  std::vector<ValueType> types;  // of the contexts' values in the source
  ReadingRules rules;            // by which the source is read
  std::size_t outcome = 0;
  std::optional<std::size_t> weight, group, time;
  bool kinds_are_guessed = false;  // by the values; else someone said that a column is text
  std::function<std::string(std::size_t)> find_row;  // see row(); empty: rows have plain numbers

  std::size_t num_contexts() const { return roles.contexts.size(); }
  std::size_t num_features() const { return roles.contexts.size() + roles.factors.size(); }
  bool is_text(std::size_t column) const { return requests[column].as_text; }
  std::vector<std::string> described() const;  // "context age", …: what the fingerprint covers
  // "--context age", …: what fingerprints covered in models of file version 1.
  std::vector<std::string> described_by_option() const;
  std::string prefix() const;                // "'log.csv': " or nothing
  std::string row(std::size_t index) const;  // "row 4", or "row 2 of 'part2.csv'"
};

// Checks the roles against the columns there are; each error names its option.
LogLayout lay_out_log(const Roles& roles, std::span<const ColumnInfo> columns,
                      const std::string& table);

}  // namespace otss
