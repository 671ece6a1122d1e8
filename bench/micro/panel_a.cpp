// Accuracy against a known truth: mean regret and weight error over seeds of panel A, with two
// experts, beside the oracle gate's on the same logs.
//
//   panel_a [FIRST_SEED] [SEEDS] [EXPERTS]      EXPERTS 0: auto
#include <fmt/core.h>

#include <cstdlib>
#include <vector>

#include "base/threads.hpp"
#include "lab/simulation.hpp"
#include "lab/truth.hpp"
#include "otss/learn/fit.hpp"

int main(int argc, char** argv) {
  using namespace otss;
  const int first = argc > 1 ? std::atoi(argv[1]) : 3000;
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 64;
  const int experts = argc > 3 ? std::atoi(argv[3]) : 2;
  std::vector<TruthScore> ours(seeds);
  std::vector<TruthScore> oracle(seeds);
  parallel_for(seeds, hardware_threads(), [&](std::size_t i) {
    const Simulation s = simulate_overlap({.seed = first + i});
    const auto score = [&](const std::vector<double>& w) {
      return score_against_truth(w, s.test.weights, s.library, s.num_factors);
    };
    ours[i] = score(test_weights(s, fit(training_log(s), {.experts = experts, .threads = 1})));
    oracle[i] = score(oracle_gate_weights(s));
  });
  const auto mean = [&](const std::vector<TruthScore>& scores, double TruthScore::*field) {
    double sum = 0;
    for (const TruthScore& score : scores) sum += score.*field;
    return sum / seeds;
  };
  fmt::print("panel A, {} seeds from {}, experts {}\n", seeds, first,
             experts == 0 ? "auto" : std::to_string(experts));
  fmt::print("  {:<12} regret {:.4f}   weight MSE {:.4f}\n", "oracle gate",
             mean(oracle, &TruthScore::regret), mean(oracle, &TruthScore::weight_mse));
  fmt::print(
      "  {:<12} regret {:.4f}   weight MSE {:.4f} (bar: 0.135)   regret over oracle {:.3f} (bar: "
      "1.5)\n",
      "otss", mean(ours, &TruthScore::regret), mean(ours, &TruthScore::weight_mse),
      mean(ours, &TruthScore::regret) / mean(oracle, &TruthScore::regret));
}
