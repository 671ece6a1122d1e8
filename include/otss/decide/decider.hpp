// From a model to decisions: finds the feasible decisions with the largest score w(x)'z. For a
// model without weights, the score is Scorer::score(x, z). The search is exact.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {
class LibrarySearch;
}

namespace otss {

// The contexts of one call.
struct Contexts {
  std::size_t num_rows = 0;
  std::span<const double> x = {};         // num_rows × p, encoded
  std::span<const std::string> ids = {};  // one per row; needed only for candidates
};

// One of the best decisions of one context.
struct Decision {
  std::size_t row = 0;  // the context: its row in Contexts, from 0
  // 1 for the best. Of decisions with equal scores, the one that comes first in the feasible set's
  // table has the smaller rank.
  int rank = 1;
  std::size_t index = 0;  // the decision: its row in the feasible set's table, from 0
  double score = 0;       // w'z in the log's units
  // score minus the score of the best other feasible decision; NaN if there is no other.
  double margin = 0;
};

struct DecideOptions {
  int top = 1;          // number of decisions per context; all of them if a context has fewer
  int num_threads = 1;  // 0: all cores; results do not depend on it
  bool prune = true;    // skip decisions that can never be among the best; results are the same
};

// Finds the best decisions of one feasible set, in any number of calls. The constructor prepares a
// library (packing, pruning) once. `scorer` must outlive the Decider. decide() may be called from
// several threads. Models with weights are fast: many contexts and decisions are scored by one
// matrix product.
class Decider {
 public:
  // A set without decisions, and a set whose number of factors differs from the model's, are an
  // Error(kInput); `top` below 1 is an Error(kUsage).
  Decider(const Scorer& scorer, FeasibleSet feasible, DecideOptions options = {});
  ~Decider();

  // Returns the `top` best decisions of each context, ordered by row, then rank. The result is the
  // same to the bit for any number of threads, any division of contexts into calls, and with or
  // without pruning. For candidates, a context without an id or without candidates is an
  // Error(kInput).
  std::vector<Decision> decide(const Contexts& contexts) const;

  const FeasibleSet& feasible() const { return feasible_; }
  std::size_t num_live() const;  // number of decisions left after pruning

 private:
  std::vector<Decision> search_library(const Contexts& contexts) const;
  std::vector<Decision> rank_each(const Contexts& contexts) const;

  const Scorer& scorer_;
  const WeightMap* map_;  // the scorer as a weight map; null if it has no weights
  FeasibleSet feasible_;
  DecideOptions options_;
  std::unique_ptr<const internal::LibrarySearch> search_;  // for weight maps over a library
};

// Returns what Decider::decide returns, for a single call.
std::vector<Decision> decide(const Scorer& scorer, const Contexts& contexts,
                             const FeasibleSet& feasible, const DecideOptions& options = {});

// Returns the best decisions under given weights: w is rows × J, in the log's units. The feasible
// set must be a library (candidates are an Error), and it is not pruned.
std::vector<Decision> decide_with_weights(std::size_t rows, std::span<const double> w,
                                          const FeasibleSet& library,
                                          const DecideOptions& options = {});

// Returns the contributions w_j(x) z_j of each factor j to the score of each decision, decisions ×
// J. Their sum over j is the score, up to rounding. `x` (rows × p) and `feasible` are the arguments
// of the call of decide() that returned `decisions`.
std::vector<double> explain(const WeightMap& map, std::span<const double> x,
                            std::span<const Decision> decisions, const FeasibleSet& feasible);

// Returns the contributions of each factor to the margin, decisions × J: the contributions to the
// score of the decision minus those to the score of the best other feasible decision. Their sum
// over j is the margin, up to rounding. They are NaN if there is no other decision. `decisions`
// must contain the two best decisions of each context: call decide() with `top` of 2 or more.
std::vector<double> explain_margin(const WeightMap& map, std::span<const double> x,
                                   std::span<const Decision> decisions,
                                   const FeasibleSet& feasible);

// Contributions of the experts to the score of each decision. Both vectors are decisions × K.
struct ExpertScores {
  std::vector<double> shares;  // alpha_k(x)
  std::vector<double> scores;  // alpha_k(x) beta_k'z; their sum over k is the score
};
ExpertScores explain_experts(const Mixture& mixture, std::span<const double> x,
                             std::span<const Decision> decisions, const FeasibleSet& feasible);

}  // namespace otss
