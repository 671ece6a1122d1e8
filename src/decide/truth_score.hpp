// Weights and decisions against known true weights: exact, by enumerating the feasible set.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/evaluate.hpp"

namespace otss {

// `weights` and `truth` are rows × J, in the units of the factors; row i may choose from
// feasible.at(i).
TruthScore score_against_truth(std::span<const double> weights, std::span<const double> truth,
                               const FeasibleSet& feasible);

// The weight error alone, where no feasible set is known.
double weight_mse(std::span<const double> weights, std::span<const double> truth, int num_factors);

// What one context's choice brings under the true weights.
struct TrueValue {
  double best = 0;    // of the best decision
  double chosen = 0;  // of the decision with the largest score; ties go to the earlier one
};

template <class Score>
TrueValue true_value(const Score& score, std::span<const double> truth,
                     const ContextDecisions& open) {
  TrueValue value{-std::numeric_limits<double>::infinity(), 0};
  double best_score = value.best;
  for (std::size_t d = 0; d < open.size(); ++d) {
    const std::span<const double> z = open.factors(d);
    const double own = std::inner_product(truth.begin(), truth.end(), z.begin(), 0.0);
    const double estimated = score(z);
    value.best = std::max(value.best, own);
    if (estimated > best_score) {
      best_score = estimated;
      value.chosen = own;
    }
  }
  return value;
}

}  // namespace otss
