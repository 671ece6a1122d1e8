// A LogLayout says which columns of a log are read, in which order, and which roles they have.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"
#include "otss/data/term.hpp"

namespace otss::internal {

// Columns, and terms that are computed from columns, come in this order: contexts, factors,
// outcome, then the weight, group, time and unit columns if the log has them.
struct LogLayout {
  std::string table;  // the name of the table in messages; empty for columns in memory
  Roles roles;        // the roles; contexts are listed by name, and `exclude` is empty
  std::vector<ColumnRequest> requests;
  // One entry per factor. An entry is empty if the factor is not a term.
  std::vector<std::optional<Term>> terms;
  std::vector<ValueType> types;  // the types of the context columns in the file
  ReadingRules rules;            // the rules with which the file is read
  std::size_t outcome = 0;
  std::optional<std::size_t> weight, group, time, unit;
  // True if the kinds of the columns were guessed from their values. False if a --query was given,
  // because the query may have set the kinds.
  bool kinds_are_guessed = false;
  // The function with which row() finds the file that has the row, and the row number in this file.
  // If this function is empty, row() returns only the row number in the whole table.
  std::function<std::string(std::size_t)> find_row;

  std::size_t num_contexts() const { return roles.contexts.size(); }
  std::size_t num_features() const { return roles.contexts.size() + roles.factors.size(); }
  bool is_text(std::size_t column) const { return requests[column].as_text; }
  // Returns the names that the fingerprint covers, such as "context age".
  std::vector<std::string> described() const;
  // Returns the names that the fingerprints in models of file version 1 covered, such as
  // "--context age".
  std::vector<std::string> described_by_option() const;
  std::string prefix() const;  // returns "'log.csv': ", or "" if the table has no name
  std::string row(std::size_t index) const;  // returns "row 4", or "row 2 of 'part2.csv'"
};

// Returns the layout of a log with these roles and columns. If a role names a column that does not
// exist, or a column has two roles, throws an Error that names the option.
LogLayout lay_out_log(const Roles& roles, std::span<const ColumnInfo> columns,
                      const std::string& table);

}  // namespace otss::internal
