// Logs whose true weights are known, so that weight error and regret are exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "otss/base/options.hpp"

namespace otss {

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

// The same world with one trade-off for everybody: what a method should say when there is nothing
// to find.
struct PooledSpec {
  int n = 4000;
  std::uint64_t seed = 1;
};

// Panel B of the paper as we specify it: gate scores u_k'x, bent by a smooth random function, that
// either choose one expert (hard truth) or mix them softly.
struct MatchedSpec {
  int n = 2000;
  TruthForm truth = TruthForm::kSoft;
  double rand = 1.2;  // weight of the random function
  int experts = 5;
  std::uint64_t seed = 1;
};

// Many sparse experts behind a sparse linear gate, whose largest share is `top` on average.
struct ExpertsSpec {
  int n = 10'000;
  int experts = 3;
  double top = 0.70;
  std::uint64_t seed = 1;
};

// What was written.
struct SimulatedTables {
  std::size_t training_rows = 0;  // of log.csv
  std::size_t test_rows = 0;      // of test.csv, contexts.csv and truth.csv
  std::size_t decisions = 0;      // of library.csv
  std::string specification;      // spec.json: all that decides the tables, as JSON
};

// Write log.csv, test.csv, contexts.csv, library.csv, truth.csv and spec.json into a folder, made
// if need be.
SimulatedTables write_simulation(const OverlapSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const PooledSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const MatchedSpec& spec, const std::string& folder);
SimulatedTables write_simulation(const ExpertsSpec& spec, const std::string& folder);

}  // namespace otss
