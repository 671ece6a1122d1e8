// A PlanBuilder builds a MilpPlan. A function that reads a plan file adds variables, constraints
// and coefficients to the builder, in the order in which the file lists them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "decide/milp/name_index.hpp"
#include "otss/base/error.hpp"
#include "otss/decide/milp.hpp"

namespace otss::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

class PlanBuilder {
 public:
  explicit PlanBuilder(std::string source) : source_(std::move(source)) {}

  // Returns an Error that names the file and the line, counted from 1.
  Error error(std::size_t line, const std::string& what) const;

  const NameIndex& variables() const { return variables_; }
  const NameIndex& constraints() const { return constraints_; }

  // Returns the index of the variable with this name, and adds the variable if it is new. A new
  // variable is continuous with bounds 0 and infinity, which is the default in both MPS and LP.
  std::size_t variable(std::string_view name);
  // Adds a constraint. Returns false if there is already a constraint with this name.
  bool add_constraint(std::string_view name, double lower, double upper);
  // Sets the coefficient of a variable in a constraint. Call this function at most once for each
  // pair of constraint and variable.
  void add_coefficient(std::size_t constraint, std::size_t variable, double value);

  std::vector<double> lower, upper;
  std::vector<char> integer;
  std::vector<double> row_lower, row_upper;
  std::vector<double> objective;
  double constant = 0;
  bool maximises = false;

  // Returns the plan. Throws an Error if bounds allow no number, or if a sum of coefficients is too
  // large to be stored. The Error names the variable, the constraint or the objective.
  MilpPlan finish() &&;

 private:
  struct Entry {
    int row;
    double value;
  };
  void check_variable(std::size_t j) const;
  void check_bounds(const std::string& what, double lower, double upper) const;

  std::string source_;
  NameIndex variables_, constraints_;
  std::vector<std::vector<Entry>> columns_;
};

MilpPlan read_mps(const std::string& source, std::string_view text);
MilpPlan read_lp(const std::string& source, std::string_view text);

}  // namespace otss::internal
