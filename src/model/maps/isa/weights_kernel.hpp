// The soft mixture's arithmetic for one instruction set: it computes rows of shares or weights from
// rows of contexts. The result of a row does not depend on the other rows of the call, to the bit.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// Gate slopes (a row per context column) and expert weights (a row per expert); each row is padded
// with zeros to whole cache lines (model/maps/cache_line.hpp).
struct PackedGate {
  std::size_t num_contexts;
  std::size_t num_experts;
  const double* intercepts;  // K numbers, padded
  const double* columns;     // p rows of K numbers, padded
};

struct PackedExperts {
  std::size_t num_experts;
  std::size_t num_factors;
  const double* rows;  // K rows of J numbers, padded
};

// `scratch` has scratch_size(rows, K) doubles and is 64-byte aligned.
struct WeightsKernel {
  void (*shares)(const PackedGate& gate, std::size_t rows, const double* x, double* alpha,
                 double* scratch);
  void (*weights)(const PackedGate& gate, const PackedExperts& experts, std::size_t rows,
                  const double* x, double* w, double* scratch);
  // Computes the weights w from shares that are already known: alpha is rows × K.
  void (*mix)(const PackedExperts& experts, std::size_t rows, const double* alpha, double* w);
  // Computes e^x for x <= 0 as the kernel does. Tests use it to measure the accuracy. `count` is a
  // multiple of 8; x and out are 64-byte aligned.
  void (*exp)(std::size_t count, const double* x, double* out);
};

// The most contexts whose shares a kernel holds at a time.
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
