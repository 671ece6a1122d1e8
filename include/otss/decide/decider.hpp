// A Decider finds the feasible decisions with the largest score w(x)'z. For a model without
// weights, the score is Scorer::score(x, z). The search is exact.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "otss/base/device.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/model/units.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {
class CandidateSearch;
class LibrarySearch;
}  // namespace otss::internal

namespace otss {

// The contexts for which one call makes decisions.
struct Contexts {
  std::size_t num_rows = 0;
  std::span<const double> x = {};         // the encoded contexts, num_rows × p
  std::span<const std::string> ids = {};  // the context id of each row; needed only for candidates
  // What is known about the unit of each row, such as a customer. The weights of the row are those
  // of the unit. Empty means that rows have no units.
  UnitBeliefs units = {};
};

// One of the best decisions of one context.
struct Decision {
  std::size_t row = 0;  // the row of the context in Contexts, counted from 0
  // The best decision has rank 1. If two decisions have equal scores, the decision that comes first
  // in the table of the feasible set has the smaller rank.
  int rank = 1;
  std::size_t index = 0;  // the row of the decision in the feasible set's table, counted from 0
  double score = 0;       // the score w'z, in the log's units
  // The score minus the score of the best other feasible decision. NaN if there is no other
  // feasible decision.
  double margin = 0;
};

struct DecideOptions {
  int top = 1;          // decisions to return per context; all if the context has fewer decisions
  int num_threads = 1;  // 0 means all cores; results do not depend on this number
  // True: skip decisions that can never be among the best, which saves time only. Contexts with
  // units need false, because a unit may have weights that no mixture of the experts has.
  bool prune = true;
  // What searches a library for the best decision of each context. The results are the same. The
  // processor searches if `top` is more than 1, for candidates, and for models without weights.
  Device device = Device::kCpu;
};

// Finds the best decisions of one feasible set, in any number of calls. The constructor prepares
// and prunes a library once. `scorer` must outlive the Decider. Several threads may call decide()
// at once. Models with weights are fast, because one matrix product scores many contexts and
// decisions.
class Decider {
 public:
  // Throws Error(kInput) if the set has no decisions or another number of factors than the model.
  // Throws Error(kUsage) if `top` is below 1, or if there is no such device.
  Decider(const Scorer& scorer, FeasibleSet feasible, DecideOptions options = {});
  ~Decider();

  // Returns the `top` best decisions of each context, ordered by row and then by rank. The result
  // is bitwise identical for any number of threads, for any division of contexts into calls, and
  // with or without pruning. For candidates, a context without an id or without candidates is an
  // Error(kInput). Contexts with units are an Error(kUsage) if the decisions were pruned, or if the
  // model has no weights.
  std::vector<Decision> decide(const Contexts& contexts) const;

  const FeasibleSet& feasible() const { return feasible_; }
  std::size_t num_live() const;  // the number of decisions left after pruning

 private:
  std::vector<Decision> search_library(const Contexts& contexts) const;
  std::vector<Decision> choose_between_candidates(const Contexts& contexts) const;
  std::vector<Decision> rank_each(const Contexts& contexts) const;

  const Scorer& scorer_;
  const WeightMap* map_;  // the scorer as a weight map; null if the scorer has no weights
  FeasibleSet feasible_;
  DecideOptions options_;
  // Used only if the scorer has weights and the feasible set is a library; otherwise null.
  std::unique_ptr<const internal::LibrarySearch> search_;
  // Used only if a GPU searches the library; otherwise null.
  std::unique_ptr<const internal::CandidateSearch> candidates_;
};

// Makes a Decider, calls Decider::decide once and returns its result.
std::vector<Decision> decide(const Scorer& scorer, const Contexts& contexts,
                             const FeasibleSet& feasible, const DecideOptions& options = {});

// Returns the best decisions under given weights. w is rows × J, in the log's units. The feasible
// set must be a library; candidates are an Error. The library is not pruned.
std::vector<Decision> decide_with_weights(std::size_t rows, std::span<const double> w,
                                          const FeasibleSet& library,
                                          const DecideOptions& options = {});

// Returns the contribution w_j(x) z_j of each factor j to the score of each decision. The result is
// decisions × J. The contributions of all factors to a score sum to this score, up to rounding. `x`
// (rows × p) and `feasible` must be the arguments of the call of decide() that returned
// `decisions`, and `units` the Contexts::units.
std::vector<double> explain(const WeightMap& map, std::span<const double> x,
                            std::span<const Decision> decisions, const FeasibleSet& feasible,
                            UnitBeliefs units = {});

// Returns the contribution of each factor to the margin of each decision. The result has decisions
// × J entries. An entry is the factor's contribution to the score of the decision, minus the
// factor's contribution to the score of the best other feasible decision. The contributions to a
// margin sum to the margin, up to rounding. They are NaN if there is no other decision. `decisions`
// must contain the two best decisions of each context, so call decide() with `top` of 2 or more.
std::vector<double> explain_margin(const WeightMap& map, std::span<const double> x,
                                   std::span<const Decision> decisions, const FeasibleSet& feasible,
                                   UnitBeliefs units = {});

// Converts the contributions of all factors, which may be terms, to contributions of the log's own
// columns (Encoder::own_factors). `contributions` is decisions × J, the result is decisions × own
// columns. The contribution of a square or a logarithm goes to the column that the term is computed
// from. The contribution of a product goes in equal halves to its two columns; these halves are the
// Shapley values of the columns. The sum of the contributions to a score stays the same.
std::vector<double> by_own_factors(const Encoder& encoder, std::span<const double> contributions);

// The contributions of the experts to the score of each decision. Both vectors are decisions × K.
struct ExpertScores {
  std::vector<double> shares;  // the shares alpha_k(x)
  std::vector<double> scores;  // alpha_k(x) beta_k'z; the sum over all k is the score
};
ExpertScores explain_experts(const Mixture& mixture, std::span<const double> x,
                             std::span<const Decision> decisions, const FeasibleSet& feasible);

// Returns the contribution of the unit to the score of each decision: the mean deviation of the
// unit's weights times z. The contributions of the experts and of the unit sum to the score.
std::vector<double> explain_unit(UnitBeliefs units, std::span<const Decision> decisions,
                                 const FeasibleSet& feasible);

}  // namespace otss
