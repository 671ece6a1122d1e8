// This header provides the scratch memory for one call of the weights kernel. The memory is on the
// stack if it needs at most 16 KiB, and on the heap otherwise.
#pragma once

#include <cstddef>

#include "model/maps/cache_line.hpp"
#include "model/maps/isa/weights_kernel.hpp"

namespace otss::internal {

class KernelScratch {
 public:
  KernelScratch(std::size_t rows, std::size_t num_experts) {
    const std::size_t size = scratch_size(rows, num_experts);
    if (size > kStackSize) on_heap_.resize(lines_for(size));
  }
  double* data() { return on_heap_.empty() ? on_stack_ : on_heap_.front().lanes; }

 private:
  static constexpr std::size_t kStackSize = 2048;
  alignas(64) double on_stack_[kStackSize];
  CacheLines on_heap_;
};

}  // namespace otss::internal
