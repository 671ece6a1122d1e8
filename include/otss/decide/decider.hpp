// From a model to decisions: the exact maximisers of w(x)'z, or of the score where a model has no
// weights.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

class LibrarySearch;

// The contexts of one call.
struct Contexts {
  std::size_t num_rows = 0;
  std::span<const double> x = {};  // rows × p, encoded
  std::span<const std::string> ids =
      {};  // one per row; only where decisions are listed per context
};

// What was decided for one context.
struct Decision {
  std::size_t row = 0;  // which context of the call, from 0
  int rank = 1;  // from 1; among equal scores the decision that comes first in its table has the
                 // better rank
  std::size_t index = 0;  // row of the feasible set's table, from 0
  double score = 0;       // w'z in the log's units
  double margin =
      0;  // score - the best other feasible decision's score; NaN when there is no other
};

struct DecideOptions {
  int top = 1;  // decisions per context; as many as there are when there are fewer
  int num_threads = 1;
  bool prune = true;  // leave out decisions that cannot be among the best; never changes a result
};

// Decides over one feasible set for as many chunks of contexts as the caller likes; preparing a
// library (packing, pruning) is done once. `scorer` must outlive it. Safe to call from several
// threads. Weight maps take the fast way: one product for many contexts and decisions.
class Decider {
 public:
  // A set without decisions, or with another number of factors than the model, is an Error.
  Decider(const Scorer& scorer, FeasibleSet feasible, DecideOptions options = {});
  ~Decider();

  // Result: min(top, decisions open to it) decisions per context, by row, then rank. The same bits
  // for any number of threads, for any division into chunks, and with or without pruning.
  std::vector<Decision> decide(const Contexts& contexts) const;

  const FeasibleSet& feasible() const { return feasible_; }  // for explain and certify
  std::size_t num_live() const;                              // decisions that pruning left

 private:
  std::vector<Decision> search_library(const Contexts& contexts) const;
  std::vector<Decision> rank_each(const Contexts& contexts) const;

  const Scorer& scorer_;
  const WeightMap* map_;  // the scorer, where it is one
  FeasibleSet feasible_;
  DecideOptions options_;
  std::unique_ptr<const LibrarySearch> search_;  // for weight maps over a library
};

// The same for one call.
std::vector<Decision> decide(const Scorer& scorer, const Contexts& contexts,
                             const FeasibleSet& feasible, const DecideOptions& options = {});

// The same over a library for weights that are already known: w is rows × J. Nothing is pruned.
std::vector<Decision> decide_with_weights(std::size_t rows, std::span<const double> w,
                                          const FeasibleSet& library,
                                          const DecideOptions& options = {});

// Contributions c_j = w_j(x) z_j of each decision, decisions×J; their sum over j is its score (to
// rounding). x and `feasible` are those of the call that decided.
std::vector<double> explain(const WeightMap& map, std::span<const double> x,
                            std::span<const Decision> decisions, const FeasibleSet& feasible);

// The same less the contributions of the best other feasible decision, decisions×J; their sum over
// j is the margin (to rounding), NaN where there is no other. Among `decisions` must be the two
// best of each context: ask for `top` of 2 or more.
std::vector<double> explain_margin(const WeightMap& map, std::span<const double> x,
                                   std::span<const Decision> decisions,
                                   const FeasibleSet& feasible);

// Each expert's share alpha_k(x), and its part alpha_k(x) beta_k'z of each decision's score, both
// decisions×K.
struct ExpertScores {
  std::vector<double> shares;
  std::vector<double> scores;
};
ExpertScores explain_experts(const Mixture& mixture, std::span<const double> x,
                             std::span<const Decision> decisions, const FeasibleSet& feasible);

}  // namespace otss
