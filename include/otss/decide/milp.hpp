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
  std::string source;  // its file, for messages
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
  double constant = 0;  // of the objective

  std::size_t num_variables() const { return variables.size(); }
  std::size_t num_constraints() const { return constraints.size(); }
};

// Reads a plan from .mps (fixed or free format) or .lp (CPLEX's format). A line that cannot be
// understood is an Error that names the file and the line. In MPS files, an integer variable of a
// MARKER section without bounds is 0 or 1; the first N row is the objective and further N rows are
// ignored.
MilpPlan read_milp_plan(const std::string& path);

// From variables to factors: z_f = constants_f + sum over the entries of f of coefficient ×
// variable.
struct FactorMap {
  struct Entry {
    std::size_t variable;  // index in `variables`
    int factor;            // index in the model's factors
    double coefficient;    // what one unit of the variable adds to the factor
  };
  std::string source;                  // its file, for messages
  std::vector<std::string> variables;  // their names in the plan
  // For messages: the row (from 0) of the file that first names each variable; empty for a map made
  // in memory.
  std::vector<std::size_t> first_mention;
  std::vector<Entry> entries;
  std::vector<double> constants;  // per factor: the sum of the rows without a variable
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
  bool on_variable;   // true: of a variable; false: of a constraint
  std::size_t index;  // of the plan's variable or constraint
  double value;       // replaces the plan's value
};

struct MilpOverrides {
  std::string source;                                                 // its file, for messages
  std::unordered_map<std::size_t, std::vector<MilpOverride>> by_row;  // context row, from 0
};

// Reads overrides from a table with the columns row (context row, from 1), kind (rhs, lower,
// upper), name and value. rhs sets the bounded side of a constraint (both sides of an equality).
// lower and upper set a bound, which may be infinite, of the variable of that name or, if there is
// no such variable, of the constraint. An unknown name or kind is an Error.
MilpOverrides read_milp_overrides(const TableReader& reader, const MilpPlan& plan);
MilpOverrides read_milp_overrides(const std::string& path, const MilpPlan& plan);

// One context's program: maximise objective'x + constant, within these bounds and the plan's
// matrix.
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

// The result of a solver. objective and bound include problem.constant; NaN: there is none.
struct MilpSolution {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;  // per variable; empty without a point
  double objective = std::numeric_limits<double>::quiet_NaN();
  double bound = std::numeric_limits<double>::quiet_NaN();  // no point is better than this
};

struct MilpOptions {
  double time_limit_seconds = std::numeric_limits<double>::infinity();  // per context
  // Stop once (bound - objective) / max(|bound|, |objective|), both without constants, is at most
  // this.
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
  std::vector<double> values;         // per variable; empty without a point
  double objective, bound, gap;       // as in MilpSolution and MilpOptions; NaN: there is none
  std::vector<double> factor_totals;  // z, per factor; NaN without a point
};

// Builds and solves the program of each context.
class MilpBridge {
 public:
  // A variable of the map that is not in the plan is an Error that suggests the most similar name.
  MilpBridge(MilpPlan plan, FactorMap map, MilpOverrides overrides = {}, MilpOptions options = {},
             MilpSolver solver = solve_with_cbc);

  const MilpPlan& plan() const { return *plan_; }
  std::size_t num_factors() const { return map_.constants.size(); }

  // The program of context `row` (from 0) for its weights w (J entries).
  MilpProblem problem(std::size_t row, std::span<const double> w) const;

  // Solves that program and checks the solution; one that fails the check is an Error.
  MilpAnswer solve(std::size_t row, std::span<const double> w) const;

  // The same for the contexts from first_row to first_row + rows - 1; w is rows × J.
  std::vector<MilpAnswer> solve(std::size_t first_row, std::size_t rows,
                                std::span<const double> w) const;

  // Throws an Error if an override names a context row beyond num_contexts; contexts_name is the
  // table's name in the message.
  void check_rows(std::size_t num_contexts, const std::string& contexts_name) const;

 private:
  std::vector<double> factor_totals(std::span<const double> values) const;

  std::shared_ptr<const MilpPlan> plan_;
  FactorMap map_;
  std::vector<std::size_t> column_of_;  // for each variable of the map, its index in the plan
  MilpOverrides overrides_;
  MilpOptions options_;
  MilpSolver solver_;
};

// The objective c = A'w, one entry per variable of the map, and its constant, constants'w.
std::vector<double> weighted_objective(const FactorMap& map, std::span<const double> w);
double weighted_constant(const FactorMap& map, std::span<const double> w);

// The program as text for another solver, with all digits. MPS has no way to say "maximise" that
// every solver understands, so its objective is written negated, to be minimised; LP says Maximize.
// A name that the format does not allow is an Error.
std::string mps_text(const MilpProblem& problem);
std::string lp_text(const MilpProblem& problem);

// True if the path ends in .mps or .lp.
bool is_plan_path(const std::string& path);

// Writes the program to a file; its ending, .mps or .lp, gives the format. If writing fails, no
// incomplete file is left.
void write_plan(const MilpProblem& problem, const std::string& path);

// The variables that are not zero, as "name=value;name=value".
std::string solution_text(const MilpPlan& plan, std::span<const double> values);

}  // namespace otss
