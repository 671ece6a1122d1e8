// Defines a simulated log with its true weights, so that weight error and regret can be computed
// exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/lab/simulate.hpp"

namespace otss::internal {

// Rows of a simulated log. Each row has a context, the logged decision and its outcome.
struct SimulatedRows {
  std::size_t num_rows = 0;
  std::vector<double> contexts;  // rows × p
  // For each row, the index of the logged decision among the row's feasible decisions, from 0.
  std::vector<std::size_t> decisions;
  // The probability with which the logging policy chose the logged decision, for each row.
  std::vector<double> propensities;
  std::vector<double> outcomes;
  std::vector<double> shares;   // rows × K: the true shares
  std::vector<double> weights;  // rows × J: the true w*(x)

  // The feasible decisions of row i are own_decisions.at(i). This set is empty if all rows use the
  // library.
  FeasibleSet own_decisions;
  std::vector<double> groups;  // number of the group of each row; empty if rows are independent
  // The number of the unit of each row, from 0, and the time of each row. Both are empty if the
  // world has no units.
  std::vector<std::size_t> units;
  std::vector<double> times;
};

struct Simulation {
  int num_contexts = 0;
  int num_factors = 0;
  int num_experts = 1;
  std::vector<double> experts;  // K × J
  FeasibleSet library;          // the decisions of all rows; empty if rows have own_decisions
  SimulatedRows train, test;
  Json spec;  // the name of the generator and its parameters

  // If empty, the names are x1 … xp and z1 … zJ.
  std::vector<std::string> own_context_names, own_factor_names;

  // Returns the feasible decisions of `rows`, which is `train` or `test`. The feasible decisions of
  // row i are decisions(rows).at(i).
  const FeasibleSet& decisions(const SimulatedRows& rows) const;
  // Returns the factors of the decision that was logged in a row.
  std::span<const double> logged_factors(const SimulatedRows& rows, std::size_t row) const;

  std::vector<std::string> context_names() const;  // own_context_names, or x1 … xp
  std::vector<std::string> factor_names() const;   // own_factor_names, or z1 … zJ
};

// Returns a feasible set in which each row has M decisions of its own. `factors` is rows × M × J.
// The decisions have no ids. The decisions of row i are decisions_by_row(…).at(i).
FeasibleSet decisions_by_row(std::size_t num_rows, int num_factors, std::vector<double> factors);

// The context columns of Panel A that do not affect the gate.
struct IrrelevantColumns {
  int count = 5;
  double scale = 0.5;      // the columns are multiplied by this number
  double correlation = 0;  // of irrelevant column j with relevant column j modulo five
  // If positive, a column has the values exp(log_deviation x) instead of x, where x is standard
  // normal. Such columns have long tails, which standardising does not remove.
  double log_deviation = 0;
};

// Draws a log from the world of simulate_overlap() with other irrelevant columns. spec.nuisance is
// not used. Only the first five irrelevant columns affect the baseline.
Simulation simulate_irrelevant(const OverlapSpec& spec, const IrrelevantColumns& columns);

// Each function draws a log from one world of otss/lab/simulate.hpp.
Simulation simulate_overlap(const OverlapSpec& spec);
Simulation simulate_pooled(const PooledSpec& spec);
Simulation simulate_matched(const MatchedSpec& spec);
Simulation simulate_experts(const ExpertsSpec& spec);
Simulation simulate_panel(const PanelSpec& spec);

// Returns the training rows as a log that fit() accepts.
LoggedData training_log(const Simulation& simulation);
// Returns the training rows of a world with units as a log that says which unit each row belongs to.
LoggedData training_log_of_units(const Simulation& simulation);

// Writes log.csv, test.csv, contexts.csv, library.csv, truth.csv and spec.json into a folder, which
// is created if it does not exist. The simulation must have a library.
SimulatedTables write_simulation(const Simulation& simulation, const std::string& folder);

}  // namespace otss::internal
