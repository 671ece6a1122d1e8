// Compares weights and decisions with known true weights, by enumerating the feasible set.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/evaluate.hpp"

namespace otss::internal {

// Compares `weights` with `truth`. Both are rows × J, in the units of the factors; row i may choose
// from feasible.at(i).
TruthScore score_against_truth(std::span<const double> weights, std::span<const double> truth,
                               const FeasibleSet& feasible);

// Returns the weight error alone, which needs no feasible set.
double weight_mse(std::span<const double> weights, std::span<const double> truth, int num_factors);

// Scores of two decisions of one context under the true weights.
struct TrueValue {
  double best = 0;  // score of the best decision under the true weights
  // Score of the decision with the largest estimated score; of equal ones, the earliest.
  double chosen = 0;
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

}  // namespace otss::internal
