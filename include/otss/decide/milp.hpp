// Weights into a constrained optimiser: one mixed-integer linear program per context, whose
// objective is c(x) = A'w(x). A is the factor map: what each variable adds to each factor.
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

// The program that all contexts share, as plain data. A bound that is not there is ±infinity.
struct MilpPlan {
  std::string source;  // its file, for messages
  std::vector<std::string> variables, constraints;
  std::vector<double> lower, upper;          // per variable
  std::vector<char> integer;                 // per variable: 1 where it must be whole
  std::vector<double> row_lower, row_upper;  // per constraint
  // The matrix, column after column: variable j has entries first[j] … first[j+1]-1.
  std::vector<std::size_t> first{0};
  std::vector<int> row;
  std::vector<double> value;
  // The plan's own objective as something to maximise: negated where its file minimises.
  std::vector<double> objective;
  double constant = 0;

  std::size_t num_variables() const { return variables.size(); }
  std::size_t num_constraints() const { return constraints.size(); }
};

// Reads .mps (fixed or free) or .lp (CPLEX's) strictly: what is not understood is an Error naming
// the file and the line, never skipped. MPS: an integer of a MARKER section that no bound names is
// 0 or 1; the first N row is the objective and further ones are left out.
MilpPlan read_milp_plan(const std::string& path);

// z_f = sum of coefficient × variable, + constants_f.
struct FactorMap {
  struct Entry {
    std::size_t variable;  // in `variables`
    int factor;            // in the model's factors
    double coefficient;    // what one unit of the variable adds to the factor
  };
  std::string source;                  // its file, for messages
  std::vector<std::string> variables;  // by their names in the plan
  // The row (from 0) of the file that first names each variable, for messages; none for a map made
  // in memory.
  std::vector<std::size_t> first_mention;
  std::vector<Entry> entries;
  std::vector<double> constants;  // per factor: the rows without a variable
};

// Columns variable, factor, coefficient; an empty variable makes the row a constant. An unknown
// factor, a pair listed twice and a coefficient that is no finite number are errors.
FactorMap read_factor_map(const TableReader& reader, const std::vector<std::string>& factors);
FactorMap read_factor_map(const std::string& path, const std::vector<std::string>& factors);

// What differs in one context: a right-hand side, or a bound of a variable or constraint.
struct MilpOverride {
  enum class Kind { kRhs, kLower, kUpper };
  Kind kind;
  bool on_variable;   // else on a constraint
  std::size_t index;  // of the plan's variable or constraint
  double value;       // what takes the place of the plan's own
};

struct MilpOverrides {
  std::string source;                                                 // its file, for messages
  std::unordered_map<std::size_t, std::vector<MilpOverride>> by_row;  // context row, from 0
};

// Columns row (context row, from 1), kind (rhs, lower, upper), name, value. rhs moves the side a
// constraint has (both sides of an equality); lower and upper set a bound of the variable of that
// name, or, where there is none, of the constraint; they may be infinite.
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
  kOptimal,     // proven, within the gap that was asked for
  kFeasible,    // the time limit came first; the best point found
  kInfeasible,  // no point satisfies the plan
  kUnbounded,   // the objective grows without end
  kLimit,       // the time limit came before any point was found
};
const char* name_of(MilpStatus status);  // "optimal", "feasible", …

// What a solver gives back. objective and bound count problem.constant; NaN where there is none.
struct MilpSolution {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;  // per variable; empty without a point
  double objective = std::numeric_limits<double>::quiet_NaN();
  double bound = std::numeric_limits<double>::quiet_NaN();  // no point is better than this
};

struct MilpOptions {
  double time_limit_seconds = std::numeric_limits<double>::infinity();  // per context
  double gap = 0;  // stop once (bound - objective) / max(|bound|, |objective|), constants left out,
                   // is at most this
  bool keep_objective = false;  // add the plan's own objective instead of replacing it
  int num_threads = 1;          // contexts solved at once; answers do not depend on it
};

// Any solver can take the place of the built-in one: MilpBridge calls it from several threads, once
// per context, and checks every answer it gives.
using MilpSolver = std::function<MilpSolution(const MilpProblem&, const MilpOptions&)>;

// The built-in solver, COIN-OR CBC. The same problem gives the same bits (without a time limit).
MilpSolution solve_with_cbc(const MilpProblem& problem, const MilpOptions& options);

// A solution that was confirmed: integers exactly whole, every bound and constraint respected, the
// objective recomputed from the weights.
struct MilpAnswer {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;
  double objective, bound, gap;       // NaN where there is none
  std::vector<double> factor_totals;  // z, per factor; NaN without a point
};

class MilpBridge {
 public:
  // A variable of the map that the plan does not have is an Error naming the nearest one.
  MilpBridge(MilpPlan plan, FactorMap map, MilpOverrides overrides = {}, MilpOptions options = {},
             MilpSolver solver = solve_with_cbc);

  const MilpPlan& plan() const { return *plan_; }
  std::size_t num_factors() const { return map_.constants.size(); }

  // The program of context `row` (from 0), whose weights are w.
  MilpProblem problem(std::size_t row, std::span<const double> w) const;

  // That program solved and its solution confirmed; one that cannot be confirmed is an Error.
  MilpAnswer solve(std::size_t row, std::span<const double> w) const;

  // The same for contexts first_row …; w is rows×J. The same answers for any number of threads.
  std::vector<MilpAnswer> solve(std::size_t first_row, std::size_t rows,
                                std::span<const double> w) const;

  // An override of a context row that was not there is an Error.
  void check_rows(std::size_t num_contexts, const std::string& contexts_name) const;

 private:
  std::vector<double> factor_totals(std::span<const double> values) const;

  std::shared_ptr<const MilpPlan> plan_;
  FactorMap map_;
  std::vector<std::size_t> column_of_;  // the plan's variable of each of the map's
  MilpOverrides overrides_;
  MilpOptions options_;
  MilpSolver solver_;
};

// c = A'w, per variable of the map; and the constant that goes with it.
std::vector<double> weighted_objective(const FactorMap& map, std::span<const double> w);
double weighted_constant(const FactorMap& map, std::span<const double> w);

// The program as text for another solver, numbers in full. MPS has no sense that every reader
// respects, so the objective is written negated, to be minimised; LP says Maximize. Names that the
// format cannot hold are an Error.
std::string mps_text(const MilpProblem& problem);
std::string lp_text(const MilpProblem& problem);

// Whether a path's ending says that it holds a plan: .mps or .lp.
bool is_plan_path(const std::string& path);

// Writes the program to a file whose ending says in which of the two forms: whole or not at all.
void write_plan(const MilpProblem& problem, const std::string& path);

// The variables that are not zero, "name=value;name=value".
std::string solution_text(const MilpPlan& plan, std::span<const double> values);

}  // namespace otss
