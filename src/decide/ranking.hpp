// The order of decisions: larger scores first; of equal scores, the decision that comes first in
// the table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/decide/decider.hpp"

namespace otss::internal {

class Ranking {
 public:
  // Fills `found` with the best of the scores, with ranks and margins. `indices` says which row of
  // the table each score belongs to, in rising order; `row` is the row of the context. There must
  // be at least as many scores as entries of `found`.
  void rank(std::size_t row, std::span<const double> scores, std::span<const std::size_t> indices,
            std::span<Decision> found);

 private:
  struct Scored {
    double score;
    std::size_t position;
  };
  static bool ranks_before(const Scored& a, const Scored& b);
  void select_best(std::span<const double> scores, std::size_t count);

  std::vector<Scored> best_;  // kept between calls, so that it is allocated once
};

}  // namespace otss::internal
