// This header compares weights and decisions with known true weights. The best decision of a
// context is found by scoring every feasible decision.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/evaluate.hpp"

namespace otss::internal {

// Compares `weights` with `truth`. Both have one row per context, with the J weights of the factors
// in the units of the log. The feasible decisions of row i are feasible.at(i).
TruthScore score_against_truth(std::span<const double> weights, std::span<const double> truth,
                               const FeasibleSet& feasible);

// Each vector has one entry per row. The mean of the entries is the field of TruthScore with the
// same name. Without a feasible set, only weight_mse has entries.
struct TruthRows {
  std::vector<double> weight_mse, weight_mse_scaled, regret, match_rate;
};

// Returns the mean of each vector, or NaN if the vector is empty.
TruthScore truth_score(const TruthRows& rows);

// Computes for each row what score_against_truth averages over all rows. `feasible` may be null.
TruthRows rows_against_truth(std::span<const double> weights, std::span<const double> truth,
                             int num_factors, const FeasibleSet* feasible);

// Returns only TruthScore::weight_mse, which needs no feasible set.
double weight_mse(std::span<const double> weights, std::span<const double> truth, int num_factors);

// The scores of two decisions of one context, both under the true weights.
struct TrueValue {
  double best = 0;  // the largest true score of all decisions
  // The true score of the decision that has the largest score under the estimated weights. If
  // several decisions have this largest score, the first one counts.
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
