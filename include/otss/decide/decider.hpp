// From a model to decisions: the exact maximisers of w(x)'z, or of the score where a model has no
// weights.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "otss/decide/candidates.hpp"
#include "otss/decide/decision.hpp"
#include "otss/decide/library.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

class LibrarySearch;

// Decides over one library for as many chunks of contexts as the caller likes; preparing the
// library (packing, pruning) is done once. `scorer` must outlive it. Safe to call from several
// threads. Weight maps take the fast way: one product for many contexts and decisions.
class Decider {
 public:
  Decider(const Scorer& scorer, Library library, DecideOptions options = {});
  ~Decider();

  // x is rows×p. Result: min(top, library size) decisions per context, by row, then rank. The same
  // bits for any number of threads, for any division into chunks, and with or without pruning.
  std::vector<Decision> decide(std::size_t rows, std::span<const double> x) const;

  const Library& library() const { return library_; }
  std::size_t num_live() const;  // decisions that pruning left

 private:
  const Scorer& scorer_;
  const WeightMap* map_;  // the scorer, where it is one
  Library library_;
  DecideOptions options_;
  std::unique_ptr<const LibrarySearch> search_;  // for weight maps
};

std::vector<Decision> decide(const Scorer& scorer, std::size_t rows, std::span<const double> x,
                             const Library& library, const DecideOptions& options = {});

// `sets` has one entry per context, from Candidates::link(). A context gets min(top, size of its
// set) decisions.
std::vector<Decision> decide(const Scorer& scorer, std::size_t rows, std::span<const double> x,
                             const Candidates& candidates, std::span<const std::size_t> sets,
                             const DecideOptions& options = {});

// The same for weights that are already known: w is rows×J. Nothing is pruned.
std::vector<Decision> decide_with_weights(std::size_t rows, std::span<const double> w,
                                          const Library& library,
                                          const DecideOptions& options = {});

// Contributions c_j = w_j(x) z_j of each decision, decisions×J; their sum over j is its score (to
// rounding). `table` is the library or Candidates::rows() that the decisions index into.
std::vector<double> explain(const WeightMap& map, std::span<const double> x,
                            std::span<const Decision> decisions, const Library& table);

// The same less the contributions of the best other feasible decision, decisions×J; their sum over
// j is the margin (to rounding), NaN where there is no other. Among `decisions` must be the two
// best of each context: ask for `top` of 2 or more.
std::vector<double> explain_margin(const WeightMap& map, std::span<const double> x,
                                   std::span<const Decision> decisions, const Library& table);

// Each expert's share alpha_k(x), and its part alpha_k(x) beta_k'z of each decision's score, both
// decisions×K.
struct ExpertScores {
  std::vector<double> shares;
  std::vector<double> scores;
};
ExpertScores explain_experts(const Mixture& mixture, std::span<const double> x,
                             std::span<const Decision> decisions, const Library& table);

}  // namespace otss
