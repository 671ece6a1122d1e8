// The loops over all values of a log, for one instruction set: storing, summing, hashing,
// standardising.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/isa.hpp"

namespace otss::internal {

// A sum has eight partial sums (lanes) for every vector width: value i is added to lane i mod 8.
inline constexpr std::size_t kSumLanes = 8;

struct StripSums {
  double present[kSumLanes], sum[kSumLanes], squares[kSumLanes], min[kSumLanes], max[kSumLanes];
};

// Constants of the hash of a value and its row number. A fingerprint consists of sums of such
// hashes.
inline constexpr std::uint64_t kHashRow = 0x9E3779B97F4A7C15ULL;
inline constexpr std::uint64_t kHashFirst = 0xD1342543DE82EF95ULL;
inline constexpr std::uint64_t kHashSecond = 0xBF58476D1CE4E5B9ULL;

struct StripKernel {
  // Writes (value - shift) * inverse_unit as f32 to `out`, tile after tile; the column's parts in
  // two consecutive tiles are `out_stride` floats apart. NaN stays NaN and is left out of the sums.
  void (*absorb)(const double* values, std::size_t count, double shift, double inverse_unit,
                 StripSums& sums, float* out, std::size_t out_stride);

  // Returns the sum of the values' hashes. -0 has the hash of 0, and all NaN have the same hash.
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
