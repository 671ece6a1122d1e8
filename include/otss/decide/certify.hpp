// Could a decision flip? What a model knows about its own weights, said about a decision.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/decide/candidates.hpp"
#include "otss/decide/decision.hpp"
#include "otss/decide/library.hpp"
#include "otss/model/uncertainty.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

struct CertifyOptions {
  double level = 0.9;
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
// a row together, each with its index into `library`. x is rows×p.
std::vector<Certificate> certify(const WeightMap& map, const Uncertainty& uncertainty,
                                 std::span<const double> x, std::span<const Decision> decisions,
                                 const Library& library, const CertifyOptions& options = {});

// The same over candidates; `sets` has one entry per context, from Candidates::link().
std::vector<Certificate> certify(const WeightMap& map, const Uncertainty& uncertainty,
                                 std::span<const double> x, std::span<const Decision> decisions,
                                 const Candidates& candidates, std::span<const std::size_t> sets,
                                 const CertifyOptions& options = {});

}  // namespace otss
