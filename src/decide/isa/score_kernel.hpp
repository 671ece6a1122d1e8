// Scores of decisions under many weight vectors, for one instruction set: score = w'z, summed over
// the factors in their order for every decision, so that equal decisions tie exactly and every path
// gives the same bits.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss {

// Decisions by eights. A unit is 1 + J lines: where the eight scores start (0, or -inf for
// padding, which then never wins), then one line per factor.
struct PackedView {
  const double* units;
  std::size_t num_units;
  std::size_t num_factors;
};

struct BestTwo {
  std::size_t index;  // of the best; among equals the first
  double best;
  double second;  // -inf when there is no other
};

inline constexpr std::size_t kMaxContexts = 64;  // weight vectors in one call

// w is rows×J, with rows <= kMaxContexts.
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

}  // namespace otss
