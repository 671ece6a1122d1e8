// Scores w'z of decisions under many weight vectors, for one instruction set. Every score is summed
// over the factors in their order, so that equal decisions have equal scores to the bit, on every
// code path.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// Decisions in units of eight. A unit is 1 + J cache lines: the initial values of the eight scores
// (0, or -inf for padding, which then is never the best), then one line per factor.
struct PackedView {
  const double* units;
  std::size_t num_units;
  std::size_t num_factors;
};

struct BestTwo {
  std::size_t index;  // index of the best decision; of equal scores, the first
  double best;
  double second;  // the second best score; -inf if there is only one decision
};

inline constexpr std::size_t kMaxContexts = 64;  // weight vectors in one call

// The functions for one instruction set. w is rows × J, with rows <= kMaxContexts.
struct ScoreKernel {
  void (*best_two)(const PackedView& decisions, std::size_t rows, const double* w, BestTwo* found);
  // scores is rows × 8 num_units, 64-byte aligned.
  void (*scores)(const PackedView& decisions, std::size_t rows, const double* w, double* scores);
};

const ScoreKernel& score_kernel(Isa isa);  // decide/score_kernel.cpp

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
