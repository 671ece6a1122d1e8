// Certificates: is a decision still the best one, given the estimation error of the weights?
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct CertifyOptions {
  double level = 0.9;        // confidence of every certificate (see is_confidence)
  bool score_error = false;  // compute Certificate::score_error too, which doubles the time
  int num_threads = 1;       // 0: all cores; certificates do not depend on it
};

// The certificate of one decision c, which is compared with all feasible decisions d of its
// context. Its bounds hold for all d together with confidence CertifyOptions::level (max-t method,
// Hothorn, Bretz & Westfall 2008). Regret is in the units of the score.
struct Certificate {
  // True if the lower bound of w'(z_c - z_d) is positive for every d whose factors differ from
  // those of c.
  bool certified = false;
  double regret_bound = 0;         // largest upper bound over d of w'(z_d - z_c), at least 0
  double probability_optimal = 0;  // share of the draws of w in which no d is better than c
  double expected_regret = 0;      // mean over the draws of max_d w'(z_d - z_c)
  // Computed only with CertifyOptions::score_error: a bound on the errors of the scores of all d
  // together. These scores use the factors minus their mean over the feasible decisions. If the
  // margin of c is larger than twice this bound, c is the best decision. `certified` is true more
  // often than this test succeeds.
  double score_error = 0;
};

// Returns one certificate per decision. `decisions` are ordered by row, as decide() returns them;
// `contexts` and `feasible` are the arguments of that call. A model without
// Fitted::has_uncertainty() is an Error(kInput).
std::vector<Certificate> certify(const Fitted& model, const Contexts& contexts,
                                 std::span<const Decision> decisions, const FeasibleSet& feasible,
                                 const CertifyOptions& options = {});

}  // namespace otss
