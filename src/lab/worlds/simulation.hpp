// A log whose truth is known, so that weight error and regret are exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/lab/simulate.hpp"

namespace otss {

// Rows of a simulated log: contexts, the logged decision and its outcome.
struct SimulatedRows {
  std::size_t num_rows = 0;
  std::vector<double> contexts;        // rows × p
  std::vector<std::size_t> decisions;  // which of those open to the row's context, from 0
  std::vector<double> propensities;    // probability with which the logging policy chose it
  std::vector<double> outcomes;
  std::vector<double> shares;   // rows × K: the true gate
  std::vector<double> weights;  // rows × J: the true w*(x)

  // Only where the factors of a decision depend on the context: row i's are at(i).
  FeasibleSet own_decisions;
  std::vector<double> groups;  // only where rows belong together: whose they are
};

struct Simulation {
  int num_contexts = 0;
  int num_factors = 0;
  int num_experts = 1;
  std::vector<double> experts;  // K × J
  FeasibleSet library;          // without decisions where the rows have their own
  SimulatedRows train, test;
  Json spec;
  std::vector<std::string> own_context_names, own_factor_names;  // empty: numbered

  // What was open in each row of train or test: at(i).
  const FeasibleSet& decisions(const SimulatedRows& rows) const;
  std::span<const double> logged_factors(const SimulatedRows& rows, std::size_t row) const;

  std::vector<std::string> context_names() const;  // x1 … xp, or its own
  std::vector<std::string> factor_names() const;   // z1 … zJ, or its own
};

// Rows that each have decisions of their own, equally many: factors is rows × M × J. They have no
// ids; row i's are at(i).
FeasibleSet decisions_by_row(std::size_t num_rows, int num_factors, std::vector<double> factors);

// The worlds of otss/lab/simulate.hpp.
Simulation simulate_overlap(const OverlapSpec& spec);
Simulation simulate_pooled(const PooledSpec& spec);
Simulation simulate_matched(const MatchedSpec& spec);
Simulation simulate_experts(const ExpertsSpec& spec);

LoggedData training_log(const Simulation& simulation);

// Writes log.csv, test.csv, contexts.csv, library.csv, truth.csv and spec.json into a folder, made
// if need be. Only for simulations with a library.
SimulatedTables write_simulation(const Simulation& simulation, const std::string& folder);

}  // namespace otss
