// A ScoreKernel computes the scores w'z of decisions under many weight vectors, for one instruction
// set. Every score is summed over the factors in the same order. So equal decisions have bitwise
// identical scores on every code path.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// Decisions are packed in units of eight. A unit has 1 + J cache lines. The first line holds the
// initial values of the eight scores. Then there is one line per factor. The initial value of a
// score is 0. If the last unit is not full, the initial value of an unused place is -inf, so that
// the place is never the best.
struct PackedView {
  const double* units;
  std::size_t num_units;
  std::size_t num_factors;
};

struct BestTwo {
  std::size_t index;  // index of the best decision; the first one if scores are equal
  double best;
  double second;  // the second best score; -inf if there is only one decision
};

inline constexpr std::size_t kMaxContexts = 64;  // the largest number of weight vectors in one call

// The functions for one instruction set. w is rows × J, with rows <= kMaxContexts.
struct ScoreKernel {
  void (*best_two)(const PackedView& decisions, std::size_t rows, const double* w, BestTwo* found);
  // Computes all scores. `scores` is rows × (8 num_units) and must be 64-byte aligned.
  void (*scores)(const PackedView& decisions, std::size_t rows, const double* w, double* scores);
};

const ScoreKernel& score_kernel(Isa isa);  // defined in decide/score_kernel.cpp

namespace baseline {
extern const ScoreKernel kScoreKernel;
}
namespace avx2 {
extern const ScoreKernel kScoreKernel;
}
namespace avx512 {
extern const ScoreKernel kScoreKernel;
}

}  // namespace otss::internal
