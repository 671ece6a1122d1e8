// A Ranking orders decisions by score, largest score first. Decisions with equal scores are in the
// order of the table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/decide/decider.hpp"

namespace otss::internal {

class Ranking {
 public:
  // Fills `found` with the best decisions, their ranks and their margins. `row` is the row of the
  // context. indices[i] is the row, in the table of decisions, of the decision with scores[i];
  // `indices` is in increasing order. There must be at least as many scores as entries of `found`.
  void rank(std::size_t row, std::span<const double> scores, std::span<const std::size_t> indices,
            std::span<Decision> found);

 private:
  struct Scored {
    double score;
    std::size_t position;
  };
  static bool ranks_before(const Scored& a, const Scored& b);
  void select_best(std::span<const double> scores, std::size_t count);

  std::vector<Scored> best_;  // kept between calls, so that its memory is allocated only once
};

}  // namespace otss::internal
