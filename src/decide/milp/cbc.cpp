// This file has the built-in solver. A CBC model gives wrong answers if it is solved a second time
// with another objective. So every solve creates a new CBC model from the plan.
#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcStrategy.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/interrupt.hpp"
#include "otss/base/error.hpp"
#include "otss/decide/milp.hpp"

namespace otss::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Deadline {
  explicit Deadline(double seconds) : limit(seconds) {}
  double left() const {
    return limit - std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool is_set() const { return std::isfinite(limit); }
  double limit;
  Clock::time_point start = Clock::now();
};

// Makes CBC end its search after Ctrl-C. The exception for Ctrl-C is thrown only after CBC has
// returned, because an exception must not pass through CBC's code.
class StopWhenInterrupted final : public CbcEventHandler {
 public:
  CbcAction event(CbcEvent) override { return is_interrupted() ? stop : noAction; }
  CbcEventHandler* clone() const override { return new StopWhenInterrupted(*this); }
};

std::vector<double> with_infinity_of(const OsiSolverInterface& solver, std::vector<double> bounds) {
  for (double& bound : bounds) {
    if (std::isinf(bound)) bound = std::copysign(solver.getInfinity(), bound);
  }
  return bounds;
}

// Limits the solver to the remaining time, and prevents CBC and Clp from printing.
void prepare(OsiClpSolverInterface& solver, const Deadline& deadline) {
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  solver.setHintParam(OsiDoReducePrint, true, OsiHintTry);
  if (deadline.is_set())
    solver.getModelPtr()->setMaximumWallSeconds(std::max(0.0, deadline.left()));
}

// Returns a solver that minimises `costs`. If `whole` is false, integer variables are treated as
// continuous.
OsiClpSolverInterface fresh_solver(const MilpProblem& problem, const std::vector<double>& costs,
                                   bool whole, const Deadline& deadline) {
  const MilpPlan& plan = *problem.plan;
  OsiClpSolverInterface solver;
  prepare(solver, deadline);
  const std::vector<CoinBigIndex> starts(plan.first.begin(), plan.first.end());
  solver.loadProblem(static_cast<int>(plan.num_variables()),
                     static_cast<int>(plan.num_constraints()), starts.data(), plan.row.data(),
                     plan.value.data(), with_infinity_of(solver, problem.lower).data(),
                     with_infinity_of(solver, problem.upper).data(), costs.data(),
                     with_infinity_of(solver, problem.row_lower).data(),
                     with_infinity_of(solver, problem.row_upper).data());
  solver.setObjSense(1);
  for (std::size_t j = 0; whole && j < plan.num_variables(); ++j) {
    if (plan.integer[j] != 0) solver.setInteger(static_cast<int>(j));
  }
  return solver;
}

bool has_crossed_bounds(const MilpProblem& problem) {
  const auto crossed = [](const std::vector<double>& lower, const std::vector<double>& upper) {
    return !std::equal(lower.begin(), lower.end(), upper.begin(), std::less_equal<>());
  };
  return crossed(problem.lower, problem.upper) || crossed(problem.row_lower, problem.row_upper);
}

// A Search runs the solver once, with one objective.
class Search {
 public:
  enum class End { kProven, kStopped, kInfeasible, kUnboundedOrInfeasible };

  Search(const MilpProblem& problem, std::vector<double> costs, double gap,
         const Deadline& deadline)
      : problem_(problem), costs_(std::move(costs)), gap_(gap), deadline_(deadline) {}

  End run() {
    const auto& integer = problem_.plan->integer;
    const bool has_integers = std::find(integer.begin(), integer.end(), 1) != integer.end();
    const End end = has_integers ? branch_and_bound() : linear();
    check_interrupt();
    return end;
  }

  // Returns the value of each variable at the point that was found, or an empty vector if no point
  // was found.
  const std::vector<double>& values() const { return values_; }
  double objective() const { return objective_; }  // the objective that the solver reported
  double bound() const { return bound_; }

 private:
  End linear() {
    OsiClpSolverInterface solver = fresh_solver(problem_, costs_, false, deadline_);
    solver.initialSolve();
    const End end = end_of_relaxation(solver);
    if (end == End::kProven) {
      values_.assign(solver.getColSolution(), solver.getColSolution() + costs_.size());
      objective_ = bound_ = solver.getObjValue();
    }
    return end;
  }

  static End end_of_relaxation(const OsiSolverInterface& solver) {
    if (solver.isProvenOptimal()) return End::kProven;
    if (solver.isProvenPrimalInfeasible()) return End::kInfeasible;
    if (solver.isProvenDualInfeasible()) return End::kUnboundedOrInfeasible;
    if (solver.isAbandoned()) {
      throw Error(ErrorCode::kFailed,
                  "the solver failed, because some coefficients of the plan are much larger than "
                  "others; choose units in which all coefficients are closer to 1");
    }
    return End::kStopped;
  }

  End branch_and_bound() {
    CbcModel model(fresh_solver(problem_, costs_, true, deadline_));
    model.setLogLevel(0);
    model.messageHandler()->setLogLevel(0);
    // CBC keeps a copy of the solver and returns this copy as a base class object. The settings
    // that prepare() changes exist only in Clp's own class, so the object is cast to this class.
    prepare(dynamic_cast<OsiClpSolverInterface&>(*model.solver()), deadline_);
    model.initialSolve();
    const End relaxation = end_of_relaxation(*model.solver());
    if (relaxation != End::kProven) return relaxation;
    bound_ = model.solver()->getObjValue();
    set_up(model);
    model.branchAndBound();
    return read(model);
  }

  void set_up(CbcModel& model) const {
    StopWhenInterrupted handler;
    model.passInEventHandler(&handler);
    CbcStrategyDefault strategy;
    model.setStrategy(strategy);
    model.setAllowableGap(0);
    model.setAllowableFractionGap(gap_);
    // The costs are scaled so that the largest cost is near 1. An improvement of less than 1e-9 is
    // then only a rounding error.
    model.setDblParam(CbcModel::CbcCutoffIncrement, 1e-9);
    model.setUseElapsedTime(true);
    if (deadline_.is_set()) model.setMaximumSeconds(std::max(0.0, deadline_.left()));
  }

  End read(const CbcModel& model) {
    constexpr double kNoValue = 1e30;
    // If CBC was stopped early, it may have a point without a valid objective. Such a point is
    // ignored.
    const double claimed = model.getMinimizationObjValue();
    if (model.bestSolution() != nullptr && std::abs(claimed) < kNoValue) {
      values_.assign(model.bestSolution(), model.bestSolution() + costs_.size());
      objective_ = claimed;
    }
    bound_ = checked_bound(model.getBestPossibleObjValue());
    if (model.isProvenInfeasible()) return End::kInfeasible;
    return model.isProvenOptimal() ? End::kProven : End::kStopped;
  }

  // Returns the bound that CBC claims if this bound is plausible, and otherwise the value of the
  // linear relaxation. A plausible bound lies between the value of the relaxation and the best
  // known objective. The check is needed because CBC may claim any number after an early stop.
  double checked_bound(double claimed) const {
    constexpr double kTolerance = 1e-7;  // CBC's tolerance for costs near 1
    if (values_.empty() || !(claimed > bound_)) return bound_;
    const double slack = kTolerance * std::max(1.0, std::abs(objective_));
    return claimed <= objective_ + slack ? std::min(claimed, objective_) : bound_;
  }

  const MilpProblem& problem_;
  std::vector<double> costs_;
  double gap_;
  const Deadline& deadline_;
  std::vector<double> values_;
  double objective_ = kNone, bound_ = kNone;
};

// Returns the number by which the costs are multiplied, so that the largest cost is near 1. Scaling
// is needed because the solver's tolerances are absolute, and weights may have any unit. The number
// is a power of two, so that scaling is exact.
double scale_of(const std::vector<double>& objective) {
  double largest = 0;
  for (const double c : objective) largest = std::max(largest, std::abs(c));
  return largest == 0 ? 1 : std::ldexp(1, -std::ilogb(largest));
}

// Fixes the integer variables at their rounded values, and solves again for the continuous
// variables. Without this second solve, rounding an integer variable by 1e-7 could violate a
// constraint with a large coefficient.
void settle_continuous(const MilpProblem& problem, const std::vector<double>& costs,
                       std::vector<double>& values) {
  const auto& integer = problem.plan->integer;
  if (std::find(integer.begin(), integer.end(), 0) == integer.end()) return;
  MilpProblem fixed = problem;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (integer[j] != 0) fixed.lower[j] = fixed.upper[j] = std::round(values[j]);
  }
  OsiClpSolverInterface solver = fresh_solver(fixed, costs, false, Deadline(INFINITY));
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return;  // the old values are kept, and confirm() will check them
  values.assign(solver.getColSolution(), solver.getColSolution() + values.size());
}

// This function is called if the linear relaxation is unbounded. With rational coefficients, the
// plan is then either unbounded or infeasible. To find out which, the function searches for any
// feasible point, with objective 0.
MilpStatus unbounded_or_infeasible(const MilpProblem& problem, const Deadline& deadline) {
  Search search(problem, std::vector<double>(problem.objective.size(), 0), 0, deadline);
  const Search::End end = search.run();
  if (!search.values().empty()) return MilpStatus::kUnbounded;
  return end == Search::End::kStopped ? MilpStatus::kLimit : MilpStatus::kInfeasible;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

MilpSolution solve_with_cbc(const MilpProblem& problem, const MilpOptions& options) {
  if (has_crossed_bounds(problem)) return {MilpStatus::kInfeasible};
  const Deadline deadline(options.time_limit_seconds);
  const double scale = scale_of(problem.objective);
  std::vector<double> costs = problem.objective;
  for (double& c : costs) c *= -scale;
  Search search(problem, costs, options.gap, deadline);
  const Search::End end = search.run();
  if (end == Search::End::kInfeasible) return {MilpStatus::kInfeasible};
  if (end == Search::End::kUnboundedOrInfeasible) {
    return {unbounded_or_infeasible(problem, deadline)};
  }
  MilpSolution solution{MilpStatus::kLimit, search.values()};
  solution.bound = problem.constant - search.bound() / scale;
  if (solution.values.empty()) return solution;
  solution.status = end == Search::End::kProven ? MilpStatus::kOptimal : MilpStatus::kFeasible;
  solution.objective = problem.constant - search.objective() / scale;
  settle_continuous(problem, costs, solution.values);
  return solution;
}

}  // namespace otss
