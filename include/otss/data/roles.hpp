// Which column of a log plays which part.
#pragma once

#include <string>
#include <vector>

namespace otss {

struct Roles {
  std::vector<std::string> contexts =
      {};  // {"all"}: every column without another role, less `exclude`
  std::vector<std::string> factors = {};
  std::string outcome = {};
  std::string weight = {};  // empty: every row counts once
  std::string group = {};   // empty: rows are independent
  std::string time = {};    // empty: rows have no order
  std::vector<std::string> exclude = {};
  // Names the context in a table of candidates from whose mean the factors are counted; empty:
  // factors are as they stand.
  std::string centered_by = {};

  bool operator==(const Roles&) const = default;
};

}  // namespace otss
