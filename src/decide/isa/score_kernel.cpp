// This file computes the scores of all pairs of a context and a decision. The scores are the
// product of two matrices: the weights of the contexts and the factors of the decisions. Decisions
// are stored in units of eight (score_kernel.hpp).
//
// A tile is a small part of the product: the scores of kTileContexts contexts and kTileUnits units.
// The scores of a tile are used while they are still in registers. Decisions are processed in
// blocks that fit into the first-level cache. The scores of one block are computed for all contexts
// before the next block begins.
#include "decide/isa/score_kernel.hpp"

#include <cmath>

#include "model/maps/isa/vector.hpp"

namespace otss::internal {
namespace {

constexpr int kUnit = 8;
constexpr int kVectorsPerUnit = kUnit / kLanes;

#if defined(__AVX512F__)
constexpr int kTileContexts = 4;
// With 4 contexts and 3 units, a tile needs 28 of the 32 registers: 12 for sums, 12 for best
// scores, 3 for factors and 1 for a weight.
constexpr int kTileUnits = 3;
#elif defined(__AVX2__)
constexpr int kTileContexts = 4;
constexpr int kTileUnits = 1;
#else
constexpr int kTileContexts = 2;
constexpr int kTileUnits = 1;
#endif

// 3072 doubles are 24 KiB, half of a first-level cache of 48 KiB.
constexpr std::size_t kCachedDoubles = 3072;

// Computes the scores of one tile, and calls consume(row, first_vector, scores) for each context
// `row` of the tile. `scores` is an array of SIMD vectors. Each SIMD vector has the scores of
// kLanes consecutive decisions. The first score belongs to decision first_vector * kLanes.
template <int Rows, int Units, class Consume>
inline void score_tile(const PackedView& decisions, std::size_t first_unit, std::size_t first_row,
                       const double* w, const Consume& consume) {
  constexpr int kVectors = Units * kVectorsPerUnit;
  const std::size_t num_factors = decisions.num_factors;
  const std::size_t unit_size = (1 + num_factors) * kUnit;
  const double* units = decisions.units + first_unit * unit_size;
  const auto part = [&](int vector, std::size_t line) {
    return load(units + vector / kVectorsPerUnit * unit_size + line * kUnit +
                vector % kVectorsPerUnit * kLanes);
  };

  Vector sum[Rows][kVectors];
#pragma GCC unroll 4
  for (int vector = 0; vector < kVectors; ++vector) {
#pragma GCC unroll 4
    for (int row = 0; row < Rows; ++row) sum[row][vector] = part(vector, 0);
  }
  for (std::size_t j = 0; j < num_factors; ++j) {
    Vector factor[kVectors];
#pragma GCC unroll 4
    for (int vector = 0; vector < kVectors; ++vector) factor[vector] = part(vector, 1 + j);
#pragma GCC unroll 4
    for (int row = 0; row < Rows; ++row) {
      const Vector weight = broadcast(w[(first_row + row) * num_factors + j]);
#pragma GCC unroll 4
      for (int vector = 0; vector < kVectors; ++vector) {
        sum[row][vector] += weight * factor[vector];
      }
    }
  }
#pragma GCC unroll 4
  for (int row = 0; row < Rows; ++row) {
    consume(first_row + row, first_unit * kVectorsPerUnit, sum[row]);
  }
}

template <int Rows, class Consume>
inline void score_rows(const PackedView& decisions, std::size_t unit, std::size_t end_unit,
                       std::size_t row, const double* w, const Consume& consume) {
  for (; unit + kTileUnits <= end_unit; unit += kTileUnits) {
    score_tile<Rows, kTileUnits>(decisions, unit, row, w, consume);
  }
  for (; unit < end_unit; ++unit) score_tile<Rows, 1>(decisions, unit, row, w, consume);
}

template <class Consume>
inline void score_all(const PackedView& decisions, std::size_t rows, const double* w,
                      const Consume& consume) {
  const std::size_t unit_size = (1 + decisions.num_factors) * kUnit;
  const std::size_t cached_units = unit_size * kTileUnits < kCachedDoubles
                                       ? kCachedDoubles / unit_size / kTileUnits * kTileUnits
                                       : kTileUnits;
  for (std::size_t unit = 0; unit < decisions.num_units; unit += cached_units) {
    const std::size_t end_unit =
        unit + cached_units < decisions.num_units ? unit + cached_units : decisions.num_units;
    std::size_t row = 0;
    for (; row + kTileContexts <= rows; row += kTileContexts) {
      score_rows<kTileContexts>(decisions, unit, end_unit, row, w, consume);
    }
    for (; row < rows; ++row) score_rows<1>(decisions, unit, end_unit, row, w, consume);
  }
}

// The two best scores of one context so far, separately for each SIMD lane. In lane l, the decision
// with the best score is vector[l] * kLanes + l.
struct LaneLeaders {
  Vector best;
  Vector second;
  Words vector;
};

inline void update(LaneLeaders& leaders, Vector score, std::uint64_t vector) {
  const auto better = score > leaders.best;  // if scores are equal, the first one is kept
  leaders.vector = better ? Words{} + vector : leaders.vector;
  leaders.second = larger(smaller(score, leaders.best), leaders.second);
  leaders.best = larger(score, leaders.best);
}

BestTwo best_over_lanes(const LaneLeaders& leaders) {
  BestTwo found = {static_cast<std::size_t>(leaders.vector[0]) * kLanes, leaders.best[0],
                   leaders.second[0]};
  for (int lane = 1; lane < kLanes; ++lane) {
    const double best = leaders.best[lane];
    const std::size_t index = static_cast<std::size_t>(leaders.vector[lane]) * kLanes + lane;
    const bool wins = best > found.best || (best == found.best && index < found.index);
    const double runner_up = wins ? found.best : best;
    if (wins) {
      found.index = index;
      found.best = best;
    }
    if (runner_up > found.second) found.second = runner_up;
    if (leaders.second[lane] > found.second) found.second = leaders.second[lane];
  }
  return found;
}

void best_two(const PackedView& decisions, std::size_t rows, const double* w, BestTwo* found) {
  LaneLeaders leaders[kMaxContexts];
  for (std::size_t row = 0; row < rows; ++row) {
    leaders[row] = {broadcast(-INFINITY), broadcast(-INFINITY), Words{}};
  }
  score_all(decisions, rows, w, [&](std::size_t row, std::size_t first_vector, const auto& scores) {
    LaneLeaders local = leaders[row];
    std::uint64_t vector = first_vector;
#pragma GCC unroll 4
    for (const Vector score : scores) update(local, score, vector++);
    leaders[row] = local;
  });
  for (std::size_t row = 0; row < rows; ++row) found[row] = best_over_lanes(leaders[row]);
}

void scores(const PackedView& decisions, std::size_t rows, const double* w, double* all) {
  const std::size_t row_size = decisions.num_units * kUnit;
  score_all(decisions, rows, w, [&](std::size_t row, std::size_t first_vector, const auto& scores) {
    double* to = all + row * row_size + first_vector * kLanes;
    for (const Vector score : scores) {
      store(score, to);
      to += kLanes;
    }
  });
}

}  // namespace

namespace OTSS_ISA_NAMESPACE {
extern const ScoreKernel kScoreKernel = {&best_two, &scores};
}

}  // namespace otss::internal
