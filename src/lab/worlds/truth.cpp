#include "lab/worlds/truth.hpp"

#include <algorithm>

namespace otss::internal {

TruthScore score_test_weights(const Simulation& s, std::span<const double> weights) {
  return score_against_truth(weights, s.test.weights, s.decisions(s.test));
}

TruthScore score_test_decisions(const Simulation& s, const Fitted& fitted) {
  const std::vector<double> contexts = encoded_test_contexts(s, fitted);
  const int p = fitted.num_contexts();
  const FeasibleSet& feasible = s.decisions(s.test);
  TruthScore score{.regret = 0, .match_rate = 0};
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto x = std::span(contexts).subspan(i * p, p);
    const auto w_true = std::span(s.test.weights).subspan(i * s.num_factors, s.num_factors);
    const TrueValue value =
        true_value([&](auto z) { return fitted.scorer().score(x, z); }, w_true, feasible.at(i));
    score.regret += value.best - value.chosen;
    score.match_rate += value.chosen >= value.best ? 1 : 0;
  }
  score.regret /= static_cast<double>(s.test.num_rows);
  score.match_rate /= static_cast<double>(s.test.num_rows);
  return score;
}

std::vector<double> encoded_test_contexts(const Simulation& s, const Fitted& fitted) {
  const int p = fitted.num_contexts();
  std::vector<double> x(s.test.num_rows * p);
  std::vector<RawValue> raw;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    raw.assign(&s.test.contexts[i * s.num_contexts],
               &s.test.contexts[i * s.num_contexts] + s.num_contexts);
    fitted.encoder().encode(raw, std::span(x).subspan(i * p, p));
  }
  return x;
}

std::vector<double> test_weights(const Simulation& s, const Fitted& fitted) {
  std::vector<double> w(s.test.num_rows * s.num_factors);
  fitted.weight_map().weights(s.test.num_rows, encoded_test_contexts(s, fitted), w);
  return w;
}

}  // namespace otss::internal
