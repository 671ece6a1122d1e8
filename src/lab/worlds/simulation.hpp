// A log whose truth is known, so that weight error and regret are exact.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "otss/base/options.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/logged_data.hpp"

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

// How the true gate's score depends on the context.
enum class ScoreForm { kLinear, kQuadratic };

constexpr auto word_table(ScoreForm) {
  return std::to_array<WordOf<ScoreForm>>(
      {{ScoreForm::kLinear, "linear"}, {ScoreForm::kQuadratic, "quadratic"}});
}

// Whether the truth mixes experts in a context or chooses one.
enum class TruthForm { kSoft, kHard };

constexpr auto word_table(TruthForm) {
  return std::to_array<WordOf<TruthForm>>({{TruthForm::kSoft, "soft"}, {TruthForm::kHard, "hard"}});
}

// Panel A of the paper as we specify it (docs/method.md): two experts, nuisance contexts, a library
// for everybody.
struct OverlapSpec {
  int n = 5000;
  double tau = 1.2;
  double nuisance = 0.5;
  ScoreForm score = ScoreForm::kLinear;
  std::uint64_t seed = 1;
};
Simulation simulate_overlap(const OverlapSpec& spec);

// The same world with one trade-off for everybody: what a method should say when there is nothing
// to find.
struct PooledSpec {
  int n = 4000;
  std::uint64_t seed = 1;
};
Simulation simulate_pooled(const PooledSpec& spec);

// Panel B of the paper as we specify it: gate scores u_k'x, bent by a smooth random function, that
// either choose one expert (hard truth) or mix them softly.
struct MatchedSpec {
  int n = 2000;
  TruthForm truth = TruthForm::kSoft;
  double rand = 1.2;  // weight of the random function
  int experts = 5;
  std::uint64_t seed = 1;
};
Simulation simulate_matched(const MatchedSpec& spec);

// Many sparse experts behind a sparse linear gate, whose largest share is `top` on average.
struct ExpertsSpec {
  int n = 10'000;
  int experts = 3;
  double top = 0.70;
  std::uint64_t seed = 1;
};
Simulation simulate_experts(const ExpertsSpec& spec);

LoggedData training_log(const Simulation& simulation);

// Writes log.csv, test.csv, contexts.csv, library.csv, truth.csv and spec.json into a folder, made
// if need be. Only for simulations with a library.
void write_simulation(const Simulation& simulation, const std::string& folder);

}  // namespace otss
