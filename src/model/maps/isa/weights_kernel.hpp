// A WeightsKernel has the arithmetic of the soft mixture for one instruction set. It computes rows
// of shares or weights from rows of contexts. The result of a row is bitwise the same whatever the
// other rows of the call are.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// PackedGate has the gate's slopes, one row per context column. Slopes and intercepts are those of
// each expert minus those of the last expert: the shares are the same, and the kernel computes one
// score less. PackedExperts has the weights of the experts, one row per expert. Each row is padded
// with zeros to whole cache lines (model/maps/cache_line.hpp).
struct PackedGate {
  std::size_t num_contexts;
  std::size_t num_experts;
  const double* intercepts;  // K intercepts, the last is 0, padded with zeros
  const double* columns;     // p rows of K slopes, the last is 0, each row padded with zeros
};

struct PackedExperts {
  std::size_t num_experts;
  std::size_t num_factors;
  const double* rows;  // K rows of J weights, each row padded with zeros
};

// The argument `scratch` must have scratch_size(rows, K) doubles and must be 64-byte aligned.
struct WeightsKernel {
  void (*shares)(const PackedGate& gate, std::size_t rows, const double* x, double* alpha,
                 double* scratch);
  void (*weights)(const PackedGate& gate, const PackedExperts& experts, std::size_t rows,
                  const double* x, double* w, double* scratch);
  // Computes the weights w from shares that are already known: alpha is rows × K.
  void (*mix)(const PackedExperts& experts, std::size_t rows, const double* alpha, double* w);
  // Computes e^x for x <= 0 with the code that the other functions use. Tests call this function to
  // measure its accuracy. `count` must be a multiple of 8. x and out must be 64-byte aligned.
  void (*exp)(std::size_t count, const double* x, double* out);
};

// The largest number of contexts whose shares a kernel holds in scratch memory at a time.
inline constexpr std::size_t kMaxTileRows = 32;

constexpr std::size_t scratch_size(std::size_t rows, std::size_t num_experts) {
  return (rows == 1 ? 8 : kMaxTileRows) * ((num_experts + 7) / 8 * 8);
}

const WeightsKernel& weights_kernel(Isa isa);  // defined in model/maps/weights_kernel.cpp

namespace baseline {
extern const WeightsKernel kWeightsKernel;
}
namespace avx2 {
extern const WeightsKernel kWeightsKernel;
}
namespace avx512 {
extern const WeightsKernel kWeightsKernel;
}

}  // namespace otss::internal
