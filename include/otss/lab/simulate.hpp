// Writes simulated logs. Their true weights are known, so the weight error and the regret of a
// model fitted to such a log can be computed exactly. docs/method.md ("The simulated worlds")
// specifies each world.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "otss/base/options.hpp"

namespace otss {

// The form of s(x), the function of the context from which the true gate computes the shares.
enum class ScoreForm { kLinear, kQuadratic };

constexpr auto word_table(ScoreForm) {
  return std::to_array<WordOf<ScoreForm>>(
      {{ScoreForm::kLinear, "linear"}, {ScoreForm::kQuadratic, "quadratic"}});
}

// The true weights in a context are a mixture of the experts' weights (soft), or the weights of one
// expert (hard).
enum class TruthForm { kSoft, kHard };

constexpr auto word_table(TruthForm) {
  return std::to_array<WordOf<TruthForm>>({{TruthForm::kSoft, "soft"}, {TruthForm::kHard, "hard"}});
}

// The world of the paper's Panel A: two experts, one library for all contexts, and some context
// columns that do not affect the gate.
struct OverlapSpec {
  int n = 5000;      // training rows
  double tau = 1.2;  // the true share of expert 1 is logistic(tau s(x))
  // The standard deviation of the context columns that do not affect the gate.
  double nuisance = 0.5;
  ScoreForm score = ScoreForm::kLinear;  // form of s(x)
  std::uint64_t seed = 1;                // determines all random numbers
};

// The same world as OverlapSpec, but with one trade-off for everybody. A method should report no
// heterogeneity here.
struct PooledSpec {
  int n = 4000;            // training rows
  std::uint64_t seed = 1;  // determines all random numbers
};

// The world of the paper's Panel B. Each expert k has a gate score u_k'x + rand g_k(x), where u_k
// is a random vector and g_k is a smooth random function. With a hard truth, the expert with the
// largest gate score determines the weights. With a soft truth, the shares are the softmax of the
// gate scores.
struct MatchedSpec {
  int n = 2000;                        // training rows
  TruthForm truth = TruthForm::kSoft;  // soft: experts are mixed; hard: one expert per context
  // The random functions g_k are multiplied by this number. With 0, the gate scores are linear in
  // x.
  double rand = 1.2;
  int experts = 5;         // K
  std::uint64_t seed = 1;  // determines all random numbers
};

// A world with K experts and a linear gate. Each expert has only three nonzero weights. The shares
// are the softmax of K linear functions, each of only three context columns.
struct ExpertsSpec {
  int n = 10'000;          // training rows
  int experts = 3;         // K
  double top = 0.70;       // mean over contexts of the largest share, between 1/K and 1
  std::uint64_t seed = 1;  // determines all random numbers
};

// A world in which the same units (customers, drivers, patients) appear in many rows. Each unit has
// a deviation of its own from the weights of its context:
//
//   logit P(y = 1) = b(x) + v_i + (w(x) + u_i)'z,      (v_i, u_i) ~ N(0, Σ),
//
// where every entry of (v_i, u_i) has the standard deviation `spread` and the entries are
// correlated. Histories differ in length. The tables log.csv, test.csv, contexts.csv and truth.csv
// have a column `unit`; some units of the test rows have no row in log.csv.
struct PanelSpec {
  int units = 1000;        // units of log.csv
  int rows = 10;           // mean number of rows of a unit in log.csv
  double spread = 0.6;     // standard deviation of v_i and of each entry of u_i
  int experts = 2;         // K
  int factors = 6;         // J
  std::uint64_t seed = 1;  // determines all random numbers
};

// The sizes and the specification of the tables that write_simulation() wrote.
struct SimulatedTables {
  std::size_t training_rows = 0;  // rows of log.csv
  std::size_t test_rows = 0;      // rows of test.csv, contexts.csv and truth.csv
  std::size_t decisions = 0;      // rows of library.csv
  std::string specification;      // content of spec.json: the generator and its parameters
};

// Each function draws a log from one world and writes log.csv, test.csv, contexts.csv, library.csv,
// truth.csv and spec.json into `folder`, which is created if it does not exist. Throws Error(kIo)
// if the folder cannot be created, and Error(kUsage) for a specification that no log can have.
SimulatedTables write_simulation(const OverlapSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const PooledSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const MatchedSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const ExpertsSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const PanelSpec& spec, const std::string& folder);

}  // namespace otss
