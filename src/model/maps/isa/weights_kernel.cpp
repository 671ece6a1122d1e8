// This file computes shares and weights in three steps. In each step, a lane of a vector stands for
// something different:
//   gate        a lane is an expert; each context value is copied to all lanes;
//   softmax     a lane is a context; maximum and sum over experts are plain vector operations;
//   mixture     a lane is a factor.
// A tile has as many contexts as a vector has lanes. If the last contexts do not fill a tile, the
// same code processes them one at a time.
#include "model/maps/isa/weights_kernel.hpp"

#include <cmath>

#include "model/maps/isa/vector.hpp"
#include "model/maps/isa/vector_exp.hpp"

namespace otss::internal {
namespace {

template <int N>
struct Count {
  static constexpr int value = N;
};

constexpr std::size_t kTilesTogether = 4;
static_assert(kTilesTogether * kLanes <= kMaxTileRows);

inline std::size_t padded(std::size_t count) { return (count + 7) / 8 * 8; }

// Lane i of the result is lane lanes[i] of a, or lane lanes[i] - kLanes of b if lanes[i] is at
// least kLanes.
inline Vector shuffled(Vector a, Vector b, Words lanes) {
#ifdef __clang__  // clang has no __builtin_shuffle; only the fuzzers are compiled with clang
  Vector result;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int from = static_cast<int>(lanes[lane]);
    result[lane] = from < kLanes ? a[from] : b[from - kLanes];
  }
  return result;
#else
  return __builtin_shuffle(a, b, lanes);
#endif
}

// Transposes a tile in log2(kLanes) rounds. Each round interleaves every row of the upper half of
// the tile with the row that is half a tile below.
inline void transpose(Vector (&tile)[kLanes]) {
  Words low, high;
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = lane / 2 + (lane % 2) * kLanes;
    high[lane] = low[lane] + kLanes / 2;
  }
#pragma GCC unroll 3
  for (int round = 1; round < kLanes; round *= 2) {
    Vector next[kLanes];
#pragma GCC unroll 4
    for (int row = 0; row < kLanes / 2; ++row) {
      next[2 * row] = shuffled(tile[row], tile[row + kLanes / 2], low);
      next[2 * row + 1] = shuffled(tile[row], tile[row + kLanes / 2], high);
    }
#pragma GCC unroll 8
    for (int row = 0; row < kLanes; ++row) tile[row] = next[row];
  }
}

// Four experts. With AVX-512, this vector has half the width of the others, and most processors
// multiply two of them in the time of one that is twice as wide.
using FourLanes = double __attribute__((vector_size(4 * sizeof(double))));

// Computes the gate scores of as many experts as `Lanes` has lanes, for each of `Rows` contexts. A
// lane is an expert. Each context has two sums, one over even columns and one over odd columns. With
// only one sum, each addition would have to wait for the previous one, which is slow for a single
// context.
template <class Lanes, int Rows>
inline void expert_logits(const PackedGate& gate, std::size_t first_expert, const double* x,
                          Lanes (&logits)[kLanes]) {
  const auto at = [](const double* from) { return *reinterpret_cast<const Lanes*>(from); };
  const std::size_t p = gate.num_contexts;
  const std::size_t stride = padded(gate.num_experts);
  const double* columns = gate.columns + first_expert;
  Lanes even[Rows], odd[Rows];
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) {
    even[row] = at(gate.intercepts + first_expert);
    odd[row] = Lanes{};
  }
  std::size_t j = 0;
  for (; j + 1 < p; j += 2) {
    const Lanes even_column = at(columns + j * stride);
    const Lanes odd_column = at(columns + (j + 1) * stride);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) {
      even[row] += even_column * x[row * p + j];
      odd[row] += odd_column * x[row * p + j + 1];
    }
  }
  if (j < p) {
    const Lanes last_column = at(columns + j * stride);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) even[row] += last_column * x[row * p + j];
  }
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) logits[row] = even[row] + odd[row];
}

// Computes the gate scores of four experts in a tile of eight contexts, and transposes them.
template <int Rows>
inline void logits_of_four(const PackedGate& gate, std::size_t first_expert, const double* x,
                           double* logits) {
  FourLanes tile[kLanes] = {};
  expert_logits<FourLanes, Rows>(gate, first_expert, x, tile);
  Vector both[4];  // contexts i and i + 4
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    both[i] = __builtin_shufflevector(tile[i], tile[i + 4], 0, 1, 2, 3, 4, 5, 6, 7);
  const Words even{0, 8, 2, 10, 4, 12, 6, 14}, odd{1, 9, 3, 11, 5, 13, 7, 15};
  const Words front{0, 1, 8, 9, 4, 5, 12, 13}, back{2, 3, 10, 11, 6, 7, 14, 15};
#pragma GCC unroll 2
  for (int expert = 0; expert < 2; ++expert) {
    const Words lanes = expert == 0 ? even : odd;
    const Vector first_pair = shuffled(both[0], both[1], lanes);
    const Vector second_pair = shuffled(both[2], both[3], lanes);
    double* const to = logits + (first_expert + expert) * kLanes;
    store(shuffled(first_pair, second_pair, front), to);
    store(shuffled(first_pair, second_pair, back), to + 2 * kLanes);
  }
}

// Computes the gate scores of a tile of contexts and transposes them. Afterwards a lane is a
// context: the score of expert k is at logits[k * kLanes + context]. The last expert has the score 0.
template <int Rows>
inline void tile_logits(const PackedGate& gate, const double* x, double* logits) {
  const std::size_t last = gate.num_experts - 1;
  for (std::size_t k = 0; k < last; k += kLanes) {
    if constexpr (kLanes == 8) {
      if (last - k <= 4) {
        logits_of_four<Rows>(gate, k, x, logits);
        break;
      }
    }
    Vector tile[kLanes] = {};
    expert_logits<Vector, Rows>(gate, k, x, tile);
    transpose(tile);
#pragma GCC unroll 8
    for (int lane = 0; lane < kLanes; ++lane) store(tile[lane], logits + (k + lane) * kLanes);
  }
  store(Vector{}, logits + last * kLanes);
}

// Replaces gate scores by shares. Shares are never NaN, even if a score has overflowed to infinity.
// The distance of such a score to the largest score is inf - inf = NaN, and smaller() replaces this
// NaN by 0. So all infinite scores get equal shares.
inline void softmax(std::size_t num_experts, double* tile) {
  Vector largest = broadcast(-INFINITY);
  for (std::size_t k = 0; k < num_experts; ++k) largest = larger(load(tile + k * kLanes), largest);
  Vector sum = {};
  for (std::size_t k = 0; k < num_experts; ++k) {
    const Vector behind = smaller(load(tile + k * kLanes) - largest, Vector{});
    const Vector unnormalised = exp_of_nonpositive(behind);
    store(unnormalised, tile + k * kLanes);
    sum += unnormalised;
  }
  const Vector scale = 1.0 / sum;
  for (std::size_t k = 0; k < num_experts; ++k) {
    store(load(tile + k * kLanes) * scale, tile + k * kLanes);
  }
}

// Calls consume(first row, number of rows, tile of shares) for all rows in order. Each stage runs
// over several tiles before the next stage starts. Since tiles are independent, the processor can
// work on several tiles at once.
template <class Consume>
inline void for_each_tile(const PackedGate& gate, std::size_t rows, const double* x,
                          double* scratch, const Consume& consume) {
  const std::size_t p = gate.num_contexts;
  const std::size_t tile_size = padded(gate.num_experts) * kLanes;
  std::size_t row = 0;
  while (row + kLanes <= rows) {
    const std::size_t tiles_left = (rows - row) / kLanes;
    const std::size_t num_tiles = tiles_left < kTilesTogether ? tiles_left : kTilesTogether;
    for (std::size_t tile = 0; tile < num_tiles; ++tile) {
      tile_logits<kLanes>(gate, x + (row + tile * kLanes) * p, scratch + tile * tile_size);
    }
    for (std::size_t tile = 0; tile < num_tiles; ++tile) {
      softmax(gate.num_experts, scratch + tile * tile_size);
    }
    for (std::size_t tile = 0; tile < num_tiles; ++tile, row += kLanes) {
      consume(row, Count<kLanes>{}, scratch + tile * tile_size);
    }
  }
  for (; row < rows; ++row) {
    tile_logits<1>(gate, x + row * p, scratch);
    softmax(gate.num_experts, scratch);
    consume(row, Count<1>{}, scratch);
  }
}

// Stores the first `count` lanes of a vector in memory.
inline void store_some(Vector value, double* to, std::size_t count) {
  for (std::size_t lane = 0; lane < count; ++lane) to[lane] = value[lane];
}

// Computes the weights of the factors [block * kLanes, (block + Blocks) * kLanes) in `Rows`
// contexts.
template <int Rows, int Blocks, bool Roomy>
inline void mix_blocks(const PackedExperts& experts, std::size_t block, const double* alpha,
                       std::size_t expert_stride, double* w) {
  const double* factors = experts.rows + block * kLanes;
  Vector sum[Rows][Blocks] = {};
  for (std::size_t k = 0; k < experts.num_experts; ++k) {
    Vector expert[Blocks];
#pragma GCC unroll 2
    for (int b = 0; b < Blocks; ++b) expert[b] = load(factors + b * kLanes);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) {
      const Vector share = broadcast(alpha[row]);
#pragma GCC unroll 2
      for (int b = 0; b < Blocks; ++b) {
        sum[row][b] += share * expert[b];
      }
    }
    factors += padded(experts.num_factors);
    alpha += expert_stride;
  }
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 2
    for (int b = 0; b < Blocks; ++b) {
      const std::size_t first = (block + b) * kLanes;
      const std::size_t left = experts.num_factors - first;
      double* to = w + row * experts.num_factors + first;
      if (Roomy || left >= kLanes) {
        store_unaligned(sum[row][b], to);
      } else {
        store_some(sum[row][b], to, left);
      }
    }
  }
}

// Computes w = sum_k alpha_k beta_k for `Rows` contexts. Whole vectors are stored, so the last
// vector of a row overwrites up to kLanes - 1 numbers of the next row. This overwriting does no
// harm, because the weights of the next row are stored later: blocks of factors are processed from
// last to first. With `Roomy`, the memory after the last row may be overwritten too. Without
// `Roomy`, only the needed part of the last vector is stored.
template <int Rows, bool Roomy>
inline void mix_rows(const PackedExperts& experts, const double* alpha, std::size_t expert_stride,
                     double* w) {
  std::size_t block = (experts.num_factors + kLanes - 1) / kLanes;
  for (; block >= 2; block -= 2) {
    mix_blocks<Rows, 2, Roomy>(experts, block - 2, alpha, expert_stride, w);
  }
  if (block == 1) mix_blocks<Rows, 1, Roomy>(experts, 0, alpha, expert_stride, w);
}

void shares(const PackedGate& gate, std::size_t rows, const double* x, double* alpha,
            double* scratch) {
  const std::size_t num_experts = gate.num_experts;
  for_each_tile(gate, rows, x, scratch, [&](std::size_t first, auto count, const double* tile) {
    for (int row = 0; row < count.value; ++row) {
      double* to = alpha + (first + row) * num_experts;
      for (std::size_t k = 0; k < num_experts; ++k) to[k] = tile[k * kLanes + row];
    }
  });
}

void weights(const PackedGate& gate, const PackedExperts& experts, std::size_t rows,
             const double* x, double* w, double* scratch) {
  const std::size_t num_factors = experts.num_factors;
  for_each_tile(gate, rows, x, scratch, [&](std::size_t first, auto count, const double* tile) {
    constexpr int kRows = count.value;
    double* to = w + first * num_factors;
    if ((rows - first - kRows) * num_factors >= kLanes - 1) {
      mix_rows<kRows, true>(experts, tile, kLanes, to);
    } else {
      for (int row = 0; row < kRows; ++row) {
        mix_rows<1, false>(experts, tile + row, kLanes, to + row * num_factors);
      }
    }
  });
}

void mix(const PackedExperts& experts, std::size_t rows, const double* alpha, double* w) {
  for (std::size_t row = 0; row < rows; ++row) {
    mix_rows<1, false>(experts, alpha + row * experts.num_experts, 1,
                       w + row * experts.num_factors);
  }
}

void exp(std::size_t count, const double* x, double* out) {
  for (std::size_t i = 0; i < count; i += kLanes) store(exp_of_nonpositive(load(x + i)), out + i);
}

}  // namespace

namespace OTSS_ISA_NAMESPACE {
extern const WeightsKernel kWeightsKernel = {&shares, &weights, &mix, &exp};
}

}  // namespace otss::internal
