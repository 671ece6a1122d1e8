// Decisions by a constrained optimiser: one mixed-integer linear program per context, whose
// objective is c(x) = A'w(x). A is the factor map: how much each variable adds to each factor.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

// The program that all contexts share. An absent bound is ±infinity.
struct MilpPlan {
  std::string source;  // path of the plan, for messages
  std::vector<std::string> variables, constraints;
  std::vector<double> lower, upper;          // per variable
  std::vector<char> integer;                 // per variable: 1 if it must be whole, else 0
  std::vector<double> row_lower, row_upper;  // per constraint
  // The matrix, column after column: variable j has entries first[j] … first[j+1]-1.
  std::vector<std::size_t> first{0};
  std::vector<int> row;
  std::vector<double> value;
  // The plan's own objective, to be maximised: negated if the file minimises.
  std::vector<double> objective;
  double constant = 0;  // the constant term of the objective

  std::size_t num_variables() const { return variables.size(); }
  std::size_t num_constraints() const { return constraints.size(); }
};

// Reads a plan from .mps (fixed or free format) or .lp (CPLEX's format). A line that cannot be
// understood is an Error that names the file and the line. In MPS files, an integer variable of a
// MARKER section without bounds is 0 or 1; the first N row is the objective and further N rows are
// ignored.
MilpPlan read_milp_plan(const std::string& path);

// Maps variables to factors: z_f = constants_f + sum over the entries of f of coefficient ×
// variable.
struct FactorMap {
  struct Entry {
    std::size_t variable;  // index in `variables`
    int factor;            // index in the model's factors
    double coefficient;    // what one unit of the variable adds to the factor
  };
  std::string source;                  // path of the table, for messages
  std::vector<std::string> variables;  // their names in the plan
  // For messages: the row (from 0) of the file that first names each variable; empty for a map made
  // in memory.
  std::vector<std::size_t> first_mention;
  std::vector<Entry> entries;
  // Per factor: the sum of the coefficients in rows without a variable.
  std::vector<double> constants;
};

// Reads a factor map from a table with the columns variable, factor, coefficient. A row with an
// empty variable adds a constant. An unknown factor, a pair listed twice, and a coefficient that is
// not a finite number are an Error.
FactorMap read_factor_map(const TableReader& reader, const std::vector<std::string>& factors);
FactorMap read_factor_map(const std::string& path, const std::vector<std::string>& factors);

// A change of the plan in one context: a right-hand side, or a bound of a variable or constraint.
struct MilpOverride {
  enum class Kind { kRhs, kLower, kUpper };
  Kind kind;
  bool on_variable;   // true: a variable is changed; false: a constraint is changed
  std::size_t index;  // index of that variable or constraint in the plan
  double value;       // replaces the plan's value
};

struct MilpOverrides {
  std::string source;  // path of the table, for messages
  std::unordered_map<std::size_t, std::vector<MilpOverride>> by_row;  // key: context row, from 0
};

// Reads overrides from a table with the columns row (context row, from 1), kind (rhs, lower,
// upper), name and value. rhs sets the bounded side of a constraint (both sides of an equality).
// lower and upper set a bound, which may be infinite, of the variable with that name or, if there
// is no such variable, of the constraint with that name. An unknown name or kind is an Error.
MilpOverrides read_milp_overrides(const TableReader& reader, const MilpPlan& plan);
MilpOverrides read_milp_overrides(const std::string& path, const MilpPlan& plan);

// One context's program: maximise objective'x + constant, subject to the bounds below and to the
// plan's matrix.
struct MilpProblem {
  std::shared_ptr<const MilpPlan> plan;
  std::vector<double> objective;
  double constant = 0;
  std::vector<double> lower, upper, row_lower, row_upper;
};

enum class MilpStatus {
  kOptimal,     // proven optimal within MilpOptions::gap
  kFeasible,    // stopped by the time limit, with the best point found so far
  kInfeasible,  // no point satisfies the plan
  kUnbounded,   // the objective is unbounded
  kLimit,       // stopped by the time limit before any point was found
};
const char* name_of(MilpStatus status);  // "optimal", "feasible", …

// The result of a solver. `objective` and `bound` include problem.constant; each is NaN if the
// solver gives none.
struct MilpSolution {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;  // per variable; empty if no point was found
  double objective = std::numeric_limits<double>::quiet_NaN();
  // No point has a larger objective than this.
  double bound = std::numeric_limits<double>::quiet_NaN();
};

struct MilpOptions {
  double time_limit_seconds = std::numeric_limits<double>::infinity();  // per context
  // Stop once (bound - objective) / max(|bound|, |objective|) is at most this number. Here bound
  // and objective do not include the constant.
  double gap = 0;
  bool keep_objective = false;  // true: maximise A'w plus the plan's own objective; false: A'w only
  int num_threads = 1;          // contexts solved at the same time; answers do not depend on it
};

// A solver that can replace the built-in one. MilpBridge calls it once per context, from several
// threads, and checks every answer.
using MilpSolver = std::function<MilpSolution(const MilpProblem&, const MilpOptions&)>;

// The built-in solver, COIN-OR CBC. Without a time limit, equal problems give equal solutions, to
// the bit.
MilpSolution solve_with_cbc(const MilpProblem& problem, const MilpOptions& options);

// A checked solution: integers are exactly whole, every bound and constraint holds, and the
// objective is recomputed from the weights.
struct MilpAnswer {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;         // per variable; empty if no point was found
  double objective, bound, gap;       // as in MilpSolution and MilpOptions; NaN if unknown
  std::vector<double> factor_totals;  // z, per factor; NaN if no point was found
};

// Builds and solves the program of each context.
class MilpBridge {
 public:
  // A variable of the map that is not in the plan is an Error that suggests the most similar name.
  MilpBridge(MilpPlan plan, FactorMap map, MilpOverrides overrides = {}, MilpOptions options = {},
             MilpSolver solver = solve_with_cbc);

  const MilpPlan& plan() const { return *plan_; }
  std::size_t num_factors() const { return map_.constants.size(); }

  // Returns the program of context `row` (from 0) for its weights w (J entries).
  MilpProblem problem(std::size_t row, std::span<const double> w) const;

  // Solves the program of context `row` and checks the solution. A solution that fails the check is
  // an Error.
  MilpAnswer solve(std::size_t row, std::span<const double> w) const;

  // Solves the programs of the contexts from first_row to first_row + rows - 1 and checks the
  // solutions; w is rows × J.
  std::vector<MilpAnswer> solve(std::size_t first_row, std::size_t rows,
                                std::span<const double> w) const;

  // Throws an Error if an override names a context row beyond num_contexts; contexts_name is the
  // table's name in the message.
  void check_rows(std::size_t num_contexts, const std::string& contexts_name) const;

 private:
  std::vector<double> factor_totals(std::span<const double> values) const;

  std::shared_ptr<const MilpPlan> plan_;
  FactorMap map_;
  std::vector<std::size_t> column_of_;  // per variable of map_, its index in plan_
  MilpOverrides overrides_;
  MilpOptions options_;
  MilpSolver solver_;
};

// Return the objective c = A'w, with one entry per variable of the map, and the constant of this
// objective, constants'w.
std::vector<double> weighted_objective(const FactorMap& map, std::span<const double> w);
double weighted_constant(const FactorMap& map, std::span<const double> w);

// Return the program as text for another solver; numbers are written with all digits. MPS has no
// way to say "maximise" that every solver understands, so an MPS text minimises the negated
// objective. An LP text maximises the objective. A name that the format does not allow is an Error.
std::string mps_text(const MilpProblem& problem);
std::string lp_text(const MilpProblem& problem);

// True if the path ends in .mps or .lp.
bool is_plan_path(const std::string& path);

// Writes the program to a file. The ending of `path`, .mps or .lp, determines the format. If
// writing fails, no incomplete file is left.
void write_plan(const MilpProblem& problem, const std::string& path);

// Returns the variables that are not zero, as "name=value;name=value".
std::string solution_text(const MilpPlan& plan, std::span<const double> values);

}  // namespace otss
