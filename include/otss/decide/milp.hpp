// This header makes decisions with a constrained optimiser. It solves one mixed-integer linear
// program per context. The objective is c(x) = A'w(x), where A is the factor map. The factor map
// says how much each variable adds to each factor.
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
#include "otss/model/fitted.hpp"

namespace otss {

// A plan is the mixed-integer program that all contexts share. An absent bound is ±infinity.
struct MilpPlan {
  std::string source;  // the path of the plan, used in messages
  std::vector<std::string> variables, constraints;
  std::vector<double> lower, upper;          // the bounds of each variable
  std::vector<char> integer;                 // for each variable, 1 if it must be whole, else 0
  std::vector<double> row_lower, row_upper;  // the bounds of each constraint
  // The coefficients of the constraints, variable after variable. The entries first[j] …
  // first[j+1]-1 of `row` and `value` belong to variable j. `row` is the index of a constraint, and
  // `value` is the coefficient.
  std::vector<std::size_t> first{0};
  std::vector<int> row;
  std::vector<double> value;
  // The plan's own objective, to be maximised. If the file minimises, this is the file's objective
  // times -1.
  std::vector<double> objective;
  double constant = 0;  // the constant term of the objective

  std::size_t num_variables() const { return variables.size(); }
  std::size_t num_constraints() const { return constraints.size(); }
};

// Reads a plan from an .mps file (fixed or free format) or an .lp file (CPLEX's format). A line
// that cannot be understood is an Error that names the file and the line. If an MPS file declares a
// variable as integer by MARKER lines and gives no bounds for the variable, then its bounds are 0
// and 1. The first row of type N in an MPS file is the objective; further rows of type N are
// ignored.
MilpPlan read_milp_plan(const std::string& path);

// A factor map computes the factors of a solution from its variables: z_f is constants_f plus the
// sum of coefficient × variable over all entries with factor f.
struct FactorMap {
  struct Entry {
    std::size_t variable;  // an index into FactorMap::variables
    int factor;            // an index into the model's factors
    double coefficient;    // the amount that one unit of the variable adds to the factor
  };
  std::string source;                  // the path of the table, used in messages
  std::vector<std::string> variables;  // the names of the variables in the plan
  // For each variable, the index (from 0) of the first row of the file that names the variable.
  // Messages count rows from 1. Empty for a factor map that was made in memory.
  std::vector<std::size_t> first_mention;
  std::vector<Entry> entries;
  // For each factor, the sum of the coefficients in rows without a variable.
  std::vector<double> constants;
};

// Reads a factor map from a table with the columns variable, factor and coefficient. A row with an
// empty variable adds a constant to its factor. Throws an Error if a factor is unknown, if a pair
// of variable and factor is listed twice, or if a coefficient is not a finite number.
FactorMap read_factor_map(const TableReader& reader, const std::vector<std::string>& factors);
FactorMap read_factor_map(const std::string& path, const std::vector<std::string>& factors);
// Reads the factor map of a model's factors. Throws an Error(kUsage) if a factor of the model is a
// term, because the score is then not linear in the variables of a plan.
FactorMap read_factor_map(const std::string& path, const Fitted& fitted);

// An override changes the plan for one context. It changes a right-hand side, or a bound of a
// variable or a constraint.
struct MilpOverride {
  enum class Kind { kRhs, kLower, kUpper };
  Kind kind;
  bool on_variable;   // true if a variable is changed, false if a constraint is changed
  std::size_t index;  // index of the changed variable or constraint in the plan
  double value;       // the value that replaces the plan's value
};

struct MilpOverrides {
  std::string source;  // the path of the table, used in messages
  // The key is the row of a context, counted from 0.
  std::unordered_map<std::size_t, std::vector<MilpOverride>> by_row;
};

// Reads overrides from a table with the columns row, kind, name and value. `row` is the row of the
// context, counted from 1. `kind` is rhs, lower or upper. The kind rhs sets the bounded side of a
// constraint, or both sides of an equality. The kinds lower and upper set a bound, which may be
// infinite. They set the bound of the variable with this name. If there is no such variable, they
// set the bound of the constraint with this name. An unknown name or kind is an Error.
MilpOverrides read_milp_overrides(const TableReader& reader, const MilpPlan& plan);
MilpOverrides read_milp_overrides(const std::string& path, const MilpPlan& plan);

// The program of one context: maximise objective'v + constant over the variables v, which must
// satisfy the bounds below and the constraints of the plan.
struct MilpProblem {
  std::shared_ptr<const MilpPlan> plan;
  std::vector<double> objective;
  double constant = 0;
  std::vector<double> lower, upper, row_lower, row_upper;
};

enum class MilpStatus {
  kOptimal,     // the point is proven to be optimal within MilpOptions::gap
  kFeasible,    // the time limit was reached; there is a point, perhaps not the best
  kInfeasible,  // no point satisfies the bounds and constraints
  kUnbounded,   // the objective is unbounded
  kLimit,       // the time limit was reached before any point was found
};
const char* name_of(MilpStatus status);  // returns "optimal", "feasible", and so on

// The result of a solver. `objective` and `bound` include problem.constant. A number that the
// solver does not report is NaN.
struct MilpSolution {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;  // the value of each variable; empty if no point was found
  double objective = std::numeric_limits<double>::quiet_NaN();
  // An upper bound: no feasible point has a larger objective.
  double bound = std::numeric_limits<double>::quiet_NaN();
};

struct MilpOptions {
  // The time limit of one context.
  double time_limit_seconds = std::numeric_limits<double>::infinity();
  // The solver stops once (bound - objective) / max(|bound|, |objective|) is at most this number.
  // In this formula, bound and objective do not include the constant.
  double gap = 0;
  // True: add the plan's own objective to A'w; false: maximise A'w only.
  bool keep_objective = false;
  int num_threads = 1;  // number of contexts solved at once; answers do not depend on this number
};

// A solver that can replace the built-in solver. MilpBridge calls the solver once per program, from
// several threads, and checks every answer.
using MilpSolver = std::function<MilpSolution(const MilpProblem&, const MilpOptions&)>;

// Solves a program with the built-in solver, COIN-OR CBC. Without a time limit, equal problems give
// bitwise identical solutions.
MilpSolution solve_with_cbc(const MilpProblem& problem, const MilpOptions& options);

// A solution that has been checked. Its integer variables are exactly whole, every bound and
// constraint holds, and the objective was computed again from the weights.
struct MilpAnswer {
  MilpStatus status = MilpStatus::kLimit;
  std::vector<double> values;  // the value of each variable; empty if no point was found
  // `objective` and `bound` are explained at MilpSolution, and `gap` at MilpOptions. A number that
  // is not known is NaN.
  double objective, bound, gap;
  std::vector<double> factor_totals;  // the factors z of the point; NaN if no point was found
};

// Remembers the answers of solved programs, so that MilpBridge::solve() need not solve an equal
// program again. Contexts with equal weights and equal overrides have equal programs.
class MilpMemory {
 public:
  std::size_t num_solved() const { return num_solved_; }  // how many programs were solved so far

 private:
  friend class MilpBridge;
  // The memory is emptied when its answers have this many numbers, about 400 MB.
  static constexpr std::size_t kMostNumbers = 50'000'000;

  // The key has the bits of the weights and of the overrides.
  std::unordered_map<std::string, MilpAnswer> answers_;
  std::size_t num_numbers_ = 0;
  std::size_t num_solved_ = 0;
};

// Builds and solves the program of each context.
class MilpBridge {
 public:
  // If a variable of the factor map is not in the plan, throws an Error that suggests the most
  // similar name.
  MilpBridge(MilpPlan plan, FactorMap map, MilpOverrides overrides = {}, MilpOptions options = {},
             MilpSolver solver = solve_with_cbc);

  const MilpPlan& plan() const { return *plan_; }
  std::size_t num_factors() const { return map_.constants.size(); }

  // Returns the program of the context in `row`, counted from 0. w has the J weights of this
  // context.
  MilpProblem problem(std::size_t row, std::span<const double> w) const;

  // Solves the program of the context in `row` and checks the solution. A solution that fails the
  // check is an Error.
  MilpAnswer solve(std::size_t row, std::span<const double> w) const;

  // Solves the programs of the contexts in rows first_row to first_row + rows - 1, and checks the
  // solutions. w is rows × J. Equal programs are solved once. Answers in `memory` are used again,
  // and new answers are added to it.
  std::vector<MilpAnswer> solve(std::size_t first_row, std::size_t rows, std::span<const double> w,
                                MilpMemory& memory) const;
  std::vector<MilpAnswer> solve(std::size_t first_row, std::size_t rows,
                                std::span<const double> w) const;

  // Throws an Error if an override names a context row that does not exist, because the table has
  // only num_contexts rows. contexts_name is the name of this table in the message.
  void check_rows(std::size_t num_contexts, const std::string& contexts_name) const;

 private:
  // Returns the key of a context in a MilpMemory. Two contexts have the same key only if their
  // programs are equal.
  std::string key_of(std::size_t row, std::span<const double> w) const;
  std::vector<double> factor_totals(std::span<const double> values) const;

  std::shared_ptr<const MilpPlan> plan_;
  FactorMap map_;
  std::vector<std::size_t> column_of_;  // for each variable of map_, the index in plan_
  MilpOverrides overrides_;
  MilpOptions options_;
  MilpSolver solver_;
};

// weighted_objective returns the objective c = A'w, which has one entry per variable of the factor
// map. weighted_constant returns the constant of this objective, constants'w.
std::vector<double> weighted_objective(const FactorMap& map, std::span<const double> w);
double weighted_constant(const FactorMap& map, std::span<const double> w);

// These two functions return the program as text for another solver. Numbers are written with all
// digits. Solvers do not agree on how an MPS file says "maximise", so the MPS text minimises the
// objective times -1. The LP text maximises the objective. A name that the format does not allow is
// an Error.
std::string mps_text(const MilpProblem& problem);
std::string lp_text(const MilpProblem& problem);

// Returns true if the path ends in .mps or .lp.
bool is_plan_path(const std::string& path);

// Writes the program to a file. The ending of `path`, .mps or .lp, determines the format. If
// writing fails, no incomplete file is left behind.
void write_plan(const MilpProblem& problem, const std::string& path);

// Returns the variables that are not zero, as "name=value;name=value".
std::string solution_text(const MilpPlan& plan, std::span<const double> values);

}  // namespace otss
