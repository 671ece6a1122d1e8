// Which columns of a log are read, the order in which they are read, and their roles.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

// Columns are read in this order: contexts, factors, outcome, then the weight, group and time
// columns if the log has them.
struct LogLayout {
  std::string table;  // the table's name in messages; empty for columns in memory
  Roles roles;        // the contexts are listed by name, and `exclude` is empty
  std::vector<ColumnRequest> requests;
  std::vector<ValueType> types;  // the types of the context columns in the file
  ReadingRules rules;            // the rules by which the file is read
  std::size_t outcome = 0;
  std::optional<std::size_t> weight, group, time;
  // True if the kinds of the columns were guessed from their values; false if --query may have set
  // them.
  bool kinds_are_guessed = false;
  // How row() finds the place of a row; empty if row() only gives the row number.
  std::function<std::string(std::size_t)> find_row;

  std::size_t num_contexts() const { return roles.contexts.size(); }
  std::size_t num_features() const { return roles.contexts.size() + roles.factors.size(); }
  bool is_text(std::size_t column) const { return requests[column].as_text; }
  // Such as "context age": the names that the fingerprint covers.
  std::vector<std::string> described() const;
  // Such as "--context age": the names that fingerprints in models of file version 1 covered.
  std::vector<std::string> described_by_option() const;
  std::string prefix() const;                // "'log.csv': ", or empty if the table has no name
  std::string row(std::size_t index) const;  // "row 4", or "row 2 of 'part2.csv'"
};

// Returns the layout. Throws an Error that names the option if a column of the roles does not exist
// or has two roles.
LogLayout lay_out_log(const Roles& roles, std::span<const ColumnInfo> columns,
                      const std::string& table);

}  // namespace otss::internal
