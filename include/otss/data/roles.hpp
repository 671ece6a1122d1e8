// The roles of a log's columns: which columns are the contexts, the factors, the outcome, and so
// on. Columns are given by name.
#pragma once

#include <string>
#include <vector>

namespace otss {

struct Roles {
  // The context columns. {"all"} means every column that has no other role and is not in `exclude`.
  std::vector<std::string> contexts = {};
  std::vector<std::string> factors = {};  // the columns of numbers that describe a decision
  std::string outcome = {};
  // The column of row weights, which are at least 0; empty: every row has weight 1.
  std::string weight = {};
  // The column of groups; rows of one group are dependent. Empty: all rows are independent.
  std::string group = {};
  std::string time = {};  // the column of times, which orders the rows; empty: rows have no order
  std::vector<std::string> exclude = {};  // the columns that are not contexts if contexts = {"all"}
  // The column with the context id, for a log with centred factors (read_centered_log). Empty means
  // that factors are not centred.
  std::string centered_by = {};

  bool operator==(const Roles&) const = default;
};

}  // namespace otss
