// A term is a factor that is computed from other columns of the table, such as price^2. If the
// table has a column with the name of a factor, the factor is this column. Otherwise the name must
// be a term:
//
//   A^2        the square of column A
//   A*B        the product of the columns A and B
//   log(A)     the natural logarithm of A; every value of A must be above 0
//   log(1+A)   the natural logarithm of 1 + A; every value of A must be above -1
//
// The model file stores the terms of a model. They are computed from the columns of every table
// that is read for the model.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/options.hpp"

namespace otss {

enum class TermKind { kSquare, kProduct, kLog, kLogOnePlus };

constexpr auto word_table(TermKind) {
  return std::to_array<WordOf<TermKind>>({{TermKind::kSquare, "square"},
                                          {TermKind::kProduct, "product"},
                                          {TermKind::kLog, "log"},
                                          {TermKind::kLogOnePlus, "log of 1 plus"}});
}

struct Term {
  TermKind kind = TermKind::kSquare;
  std::vector<std::string> columns;  // the names of the columns: A, or A and B for a product

  std::string name() const;  // returns the term as a user writes it, such as "log(1+stock)"
  // Returns the value of the term for one row. `a` is the value of the first column. `b` is the
  // value of the second column, and is used only for a product. The result is NaN if a value is
  // missing, or if a logarithm is not defined.
  double value(double a, double b) const;

  bool operator==(const Term&) const = default;
};

// Returns the term that has this name, or nothing if the name is not a term. Spaces around the
// names of the columns do not matter. The columns of a term cannot have the characters * and ^ in
// their names.
std::optional<Term> parse_term(std::string_view name);

}  // namespace otss
