// A ScoreKernel computes the scores w'z of decisions under many weight vectors, for one instruction
// set. Every score is summed over the factors in the same order, so decisions with equal factors
// have exactly equal scores.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// Decisions are packed in units of eight. A unit has 1 + J cache lines, where J is the number of
// factors. Each line has one number per decision. The first line has the numbers to which the
// products w_j z_j are added: 0 for a decision, and -inf for an unused place of the last unit, so
// that an unused place is never the best. Each further line has one factor.
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

// The functions of one instruction set. `w` has one weight vector per row; it is rows × J, with
// rows <= kMaxContexts.
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
