// With every instruction set, these loops process eight values at a time, in one or more vectors.
// So the order of additions, and thus every sum, is the same for all instruction sets.
#include "data/log/isa/strip_kernel.hpp"

#include "data/log/tile_matrix.hpp"

namespace otss::internal {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kWidth = 8;
#elif defined(__AVX2__)
constexpr std::size_t kWidth = 4;
#else
constexpr std::size_t kWidth = 2;
#endif
constexpr std::size_t kParts = kSumLanes / kWidth;

using Doubles = double __attribute__((vector_size(kWidth * 8)));
using Words = std::uint64_t __attribute__((vector_size(kWidth * 8)));
using Floats = float __attribute__((vector_size(kWidth * 4)));
using LooseDoubles = double __attribute__((vector_size(kWidth * 8), aligned(8), may_alias));
using LooseFloats = float __attribute__((vector_size(kWidth * 4), aligned(4), may_alias));

inline Doubles load(const double* from) { return *reinterpret_cast<const LooseDoubles*>(from); }
inline void store(Doubles value, double* to) { *reinterpret_cast<LooseDoubles*>(to) = value; }
inline void store(Floats value, float* to) { *reinterpret_cast<LooseFloats*>(to) = value; }

struct Accumulators {
  Doubles present, sum, squares, min, max;
};

inline Floats take(Doubles value, double shift, double inverse_unit, Accumulators& acc) {
  const Doubles zero = {};
  const Doubles shifted = (value - shift) * inverse_unit;
  const Doubles counted = value == value ? shifted : zero;
  acc.present += value == value ? zero + 1.0 : zero;
  acc.sum += counted;
  acc.squares += counted * counted;
  acc.min = value < acc.min ? value : acc.min;
  acc.max = value > acc.max ? value : acc.max;
  return __builtin_convertvector(shifted, Floats);
}

inline void take_group(const double* values, double shift, double inverse_unit,
                       Accumulators (&acc)[kParts], float* out) {
#pragma GCC unroll 4
  for (std::size_t part = 0; part < kParts; ++part) {
    store(take(load(values + part * kWidth), shift, inverse_unit, acc[part]), out + part * kWidth);
  }
}

// Processes the last values of a log if fewer than eight are left. Missing values (NaN) are
// appended until there are eight.
inline void take_rest(const double* values, std::size_t count, double shift, double inverse_unit,
                      Accumulators (&acc)[kParts], float* out) {
  double padded[kSumLanes];
  float stored[kSumLanes];
  for (std::size_t i = 0; i < kSumLanes; ++i) padded[i] = i < count ? values[i] : __builtin_nan("");
  take_group(padded, shift, inverse_unit, acc, stored);
  for (std::size_t i = 0; i < count; ++i) out[i] = stored[i];
}

void absorb(const double* values, std::size_t count, double shift, double inverse_unit,
            StripSums& sums, float* out, std::size_t out_stride) {
  Accumulators acc[kParts];
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t lane = part * kWidth;
    acc[part] = {load(sums.present + lane), load(sums.sum + lane), load(sums.squares + lane),
                 load(sums.min + lane), load(sums.max + lane)};
  }
  for (std::size_t begin = 0; begin < count; begin += kTileRows, out += out_stride) {
    const std::size_t rows = count - begin < kTileRows ? count - begin : kTileRows;
    const double* tile = values + begin;
    std::size_t row = 0;
    for (; row + kSumLanes <= rows; row += kSumLanes)
      take_group(tile + row, shift, inverse_unit, acc, out + row);
    if (row < rows) take_rest(tile + row, rows - row, shift, inverse_unit, acc, out + row);
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t lane = part * kWidth;
    store(acc[part].present, sums.present + lane);
    store(acc[part].sum, sums.sum + lane);
    store(acc[part].squares, sums.squares + lane);
    store(acc[part].min, sums.min + lane);
    store(acc[part].max, sums.max + lane);
  }
}

inline Words hashes(Doubles value, Words row_keys) {
  const Words canonical = reinterpret_cast<Words>(value + 0.0);
  Words word = value == value ? canonical : ~Words{};
  word = (word ^ row_keys) * kHashFirst;
  return (word ^ (word >> 32)) * kHashSecond;
}

std::uint64_t hash(const double* values, std::size_t count, std::uint64_t first_row) {
  Words sum = {};
  Words row_keys;
  for (std::size_t i = 0; i < kWidth; ++i) row_keys[i] = (first_row + i + 1) * kHashRow;
  std::size_t row = 0;
  for (; row + kWidth <= count; row += kWidth, row_keys += kWidth * kHashRow)
    sum += hashes(load(values + row), row_keys);
  double padded[kWidth] = {};
  for (std::size_t i = row; i < count; ++i) padded[i - row] = values[i];
  const Words rest = hashes(load(padded), row_keys);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kWidth; ++i) total += sum[i] + (row + i < count ? rest[i] : 0);
  return total;
}

void standardise(const float* raw, std::size_t count, float slope, float offset, float* out) {
#pragma GCC ivdep  // `out` must be `raw` itself, or must not overlap `raw`
  for (std::size_t i = 0; i < count; ++i) {
    const float value = slope * raw[i] + offset;
    out[i] = value == value ? value : 0.0F;
  }
}

}  // namespace

namespace OTSS_ISA_NAMESPACE {
extern const StripKernel kStripKernel = {&absorb, &hash, &standardise};
}

}  // namespace otss::internal
