// A kernel is a set of loops over the values of a log, compiled for one instruction set. The loops
// store, sum, hash and standardise values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/isa.hpp"

namespace otss::internal {

// A sum consists of eight partial sums (lanes), whatever the vector width is. Value i is added to
// lane i mod 8.
inline constexpr std::size_t kSumLanes = 8;

struct StripSums {
  double present[kSumLanes], sum[kSumLanes], squares[kSumLanes], min[kSumLanes], max[kSumLanes];
};

// These constants define the hash of a value and its row number. A fingerprint is a sum of such
// hashes.
inline constexpr std::uint64_t kHashRow = 0x9E3779B97F4A7C15ULL;
inline constexpr std::uint64_t kHashFirst = 0xD1342543DE82EF95ULL;
inline constexpr std::uint64_t kHashSecond = 0xBF58476D1CE4E5B9ULL;

struct StripKernel {
  // Writes (value - shift) * inverse_unit as f32 to `out`, tile after tile. `out_stride` is the
  // distance, in floats, from this column in one tile to the same column in the next tile. Also
  // adds the written values to `sums`. NaN stays NaN and is left out of the sums.
  void (*absorb)(const double* values, std::size_t count, double shift, double inverse_unit,
                 StripSums& sums, float* out, std::size_t out_stride);

  // Returns the sum of the hashes of all values. -0 has the same hash as 0. Every NaN has the same
  // hash.
  std::uint64_t (*hash)(const double* values, std::size_t count, std::uint64_t first_row);

  // Writes slope * raw + offset to `out`, and 0 where `raw` is NaN.
  void (*standardise)(const float* raw, std::size_t count, float slope, float offset, float* out);
};

const StripKernel& strip_kernel(Isa isa);

namespace baseline {
extern const StripKernel kStripKernel;
}
namespace avx2 {
extern const StripKernel kStripKernel;
}
namespace avx512 {
extern const StripKernel kStripKernel;
}

}  // namespace otss::internal
