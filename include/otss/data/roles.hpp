// Roles says which columns of a log are the contexts, the factors, the outcome, and so on. Columns
// are given by name.
#pragma once

#include <string>
#include <vector>

namespace otss {

struct Roles {
  // The context columns. {"all"} means every column that has no other role and is not in `exclude`.
  std::vector<std::string> contexts = {};
  // The factors, which describe a decision: number columns, and terms such as price^2
  // (otss/data/term.hpp).
  std::vector<std::string> factors = {};
  // This number says how much harder the weights of terms are shrunk than the weights of columns.
  // The encoder divides a term by (its standard deviation × term_shrinkage). choose_terms estimates
  // the number.
  double term_shrinkage = 1;
  std::string outcome = {};
  // The column of row weights. Weights must not be negative. Empty means that every row has
  // weight 1.
  std::string weight = {};
  // The column of groups. Rows of one group are dependent. Empty means that all rows are
  // independent.
  std::string group = {};
  // The column of units. A unit, such as a customer, may have several rows, and its weights may
  // differ from those of other units (otss/model/units.hpp). Empty means that no row says whose row
  // it is.
  std::string unit = {};
  // The column of times, which orders the rows. Empty means that the rows have no order.
  std::string time = {};
  // If contexts = {"all"}, the columns listed here are not contexts.
  std::vector<std::string> exclude = {};
  // The column with the context id, for a log with centred factors (read_centered_log). Empty means
  // that factors are not centred.
  std::string centered_by = {};

  bool operator==(const Roles&) const = default;
};

}  // namespace otss
