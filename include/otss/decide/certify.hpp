// Could a decision flip? What a model knows about its own weights, said about a decision.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct CertifyOptions {
  double level = 0.9;        // confidence of every certificate, between 0 and 1
  bool score_error = false;  // find it too: it costs as much as all the rest
  int num_threads = 1;       // certificates do not depend on it
};

// Of one decision c among all feasible d, at the level asked for. Critical values are simultaneous
// over d (max-t, Hothorn, Bretz & Westfall 2008).
struct Certificate {
  bool certified = false;   // every w'(z_c - z_d) is positive; decisions equal to c do not count
  double regret_bound = 0;  // the largest upper bound of w'(z_d - z_c), at least 0
  double probability_optimal = 0;  // share of the draws of w in which no decision is better
  double expected_regret = 0;      // mean over the draws of max_d w'(z_d - z_c)
  // Where it is asked for: bound of the error of every score at once, factors counted from their
  // mean over the feasible decisions. The decision is safe where its margin exceeds twice this:
  // weaker than `certified`.
  double score_error = 0;
};

// One certificate per decision, for decisions of the kind decide() gives: ordered by row, those of
// a row together. `contexts` and `feasible` are those of the call that decided. A model that does
// not know how sure its weights are (Fitted::has_uncertainty) is an Error.
std::vector<Certificate> certify(const Fitted& model, const Contexts& contexts,
                                 std::span<const Decision> decisions, const FeasibleSet& feasible,
                                 const CertifyOptions& options = {});

}  // namespace otss
