// A DistillKernel compares the weights of one mixture with given weights in many contexts, for one
// instruction set. A lane of a vector is a context. The object files of all instruction sets include
// this header, so it must not define an inline function that becomes a symbol.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// Contexts are stored in blocks of so many contexts. A block has its first column for all contexts,
// then its second column, and so on. The number is a multiple of the lanes of four vectors of every
// instruction set. All arrays of blocks are 64-byte aligned.
inline constexpr std::size_t kContextsPerBlock = 32;

// Consecutive blocks. If the last contexts do not fill a block, the block has contexts of weight 0.
struct ContextBlocks {
  std::size_t num_blocks;
  std::size_t num_columns;  // p + 1: the context and a column of ones
  const double* columns;
  const double* weights;  // kContextsPerBlock per block
};

// The gate has K-1 rows of p+1 parameters, the experts have K rows of num_outputs numbers.
struct BlockMixture {
  std::size_t num_experts;
  std::size_t num_outputs;
  const double* gate;
  const double* experts;
};

struct DistillKernel {
  // Adds `scale` times sum_k alpha_k(x) experts_k to `outputs`, which are blocks of num_outputs
  // columns.
  void (*add_outputs)(const ContextBlocks& contexts, const BlockMixture& mixture, double scale,
                      double* outputs, double* scratch);

  // With the errors e(x) = sum_k alpha_k(x) experts_k - target(x), returns the weighted sum over the
  // contexts of |e(x)|² / 2 + entropy_price × entropy of alpha(x). Writes the derivatives with
  // respect to the gate's and then the experts' parameters to `gradient`.
  double (*objective)(const ContextBlocks& contexts, const BlockMixture& mixture,
                      const double* targets, double entropy_price, double* gradient,
                      double* scratch);
};

// Returns how many doubles the scratch memory has; it must be 64-byte aligned. The derivatives are
// first summed per lane, in vectors of at most eight lanes.
constexpr std::size_t distill_scratch_size(std::size_t num_columns, std::size_t num_experts,
                                           std::size_t num_outputs) {
  return kContextsPerBlock * (2 * num_experts + num_outputs) +
         8 * num_experts * (num_columns + num_outputs);
}

namespace baseline {
extern const DistillKernel kDistillKernel;
}
namespace avx2 {
extern const DistillKernel kDistillKernel;
}
namespace avx512 {
extern const DistillKernel kDistillKernel;
}

}  // namespace otss::internal
