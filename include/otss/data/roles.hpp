// Which columns of a log are contexts, factors, the outcome, and so on; each by its name.
#pragma once

#include <string>
#include <vector>

namespace otss {

struct Roles {
  // {"all"}: every column that has no other role and is not in `exclude`.
  std::vector<std::string> contexts = {};
  std::vector<std::string> factors = {};  // columns that describe a decision; numbers
  std::string outcome = {};
  std::string weight = {};                // row weights, at least 0; empty: every row has weight 1
  std::string group = {};                 // rows of one group are dependent; empty: all independent
  std::string time = {};                  // orders the rows; empty: rows have no order
  std::vector<std::string> exclude = {};  // columns that contexts = {"all"} leaves out
  // The column with the context id, for a log with centred factors (read_centered_log); empty:
  // factors are not centred.
  std::string centered_by = {};

  bool operator==(const Roles&) const = default;
};

}  // namespace otss
