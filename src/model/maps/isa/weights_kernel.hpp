// The soft mixture's arithmetic for one instruction set. Rows of contexts go in, rows of shares or
// weights come out; what a row gets does not depend on how many rows it comes with, to the bit.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss {

// Gate slopes by context column and experts by factor, each row padded with zeros to whole lines
// (model/line.hpp).
struct PackedGate {
  std::size_t num_contexts;
  std::size_t num_experts;
  const double* intercepts;  // padded K
  const double* columns;     // p × padded K
};

struct PackedExperts {
  std::size_t num_experts;
  std::size_t num_factors;
  const double* rows;  // K × padded J
};

// `scratch` is scratch_size(rows, K) doubles, 64-byte aligned.
struct WeightsKernel {
  void (*shares)(const PackedGate& gate, std::size_t rows, const double* x, double* alpha,
                 double* scratch);
  void (*weights)(const PackedGate& gate, const PackedExperts& experts, std::size_t rows,
                  const double* x, double* w, double* scratch);
  // w from shares that another gate computed: alpha is rows×K.
  void (*mix)(const PackedExperts& experts, std::size_t rows, const double* alpha, double* w);
  // e^x for x <= 0, the kernel's own, so that its accuracy can be tested. `count` is a multiple of
  // 8, data aligned.
  void (*exp)(std::size_t count, const double* x, double* out);
};

inline constexpr std::size_t kMaxTileRows = 32;  // contexts whose shares a kernel holds at once

constexpr std::size_t scratch_size(std::size_t rows, std::size_t num_experts) {
  return (rows == 1 ? 8 : kMaxTileRows) * ((num_experts + 7) / 8 * 8);
}

const WeightsKernel& weights_kernel(Isa isa);  // model/weights_kernel.cpp

namespace baseline {
extern const WeightsKernel kWeightsKernel;
}
namespace avx2 {
extern const WeightsKernel kWeightsKernel;
}
namespace avx512 {
extern const WeightsKernel kWeightsKernel;
}

}  // namespace otss
