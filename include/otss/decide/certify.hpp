// A certificate says whether a decision is still the best one, given the estimation error of the
// weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct CertifyOptions {
  double level = 0.9;        // confidence of every certificate; is_confidence(level) must hold
  bool score_error = false;  // compute Certificate::score_error too, which doubles the time
  int num_threads = 1;       // 0: all cores; certificates do not depend on this number
};

// The certificate of one decision c. The decision c is compared with every feasible decision d of
// its context whose factors differ from those of c. Upper bounds of w'(z_d - z_c) hold for all d at
// the same time, with confidence CertifyOptions::level (max-t method, Hothorn, Bretz & Westfall
// 2008). Regret is in the units of the score.
struct Certificate {
  // True if c leads every d by more standard deviations than a two-sided interval of this confidence
  // has: whoever leads all others needs no more, however many they are (Gutmann & Maymin 1987, Hung &
  // Fithian 2019; docs/adr/0060). Of a single d, the bound above must be negative.
  bool certified = false;
  // `certified` is true at every level below this number, and false at every level above it. The
  // number is between 0 and 1.
  double confidence = 0;
  // The largest upper bound over all d, with the larger of these two numbers of standard deviations. 0 if
  // c is certified.
  double regret_bound = 0;
  double probability_optimal = 0;  // the share of the draws of w in which no d is better than c
  double expected_regret = 0;      // the mean of max_d w'(z_d - z_c) over the draws of w
  // A bound on the errors of the scores. The bound holds for all feasible decisions at the same
  // time. It is computed only with CertifyOptions::score_error. The scores here use centred
  // factors: each factor minus its mean over the feasible decisions. If the margin of c is larger
  // than twice this bound, c is the best decision. This test needs a larger margin than
  // `certified`, so fewer decisions pass it.
  double score_error = 0;
};

// Returns one certificate per decision. `decisions` must be ordered by row, as decide() returns
// them. `contexts` and `feasible` must be the arguments of that call of decide(). The certificate of
// a context whose unit is known accounts for what is not known about this unit, too. Without a known
// unit, no decision is certified unless Fitted::knows_differences(); the other fields then have the
// estimation error only. Throws
// Error(kInput) if Fitted::has_uncertainty() is false.
std::vector<Certificate> certify(const Fitted& model, const Contexts& contexts,
                                 std::span<const Decision> decisions, const FeasibleSet& feasible,
                                 const CertifyOptions& options = {});

}  // namespace otss
