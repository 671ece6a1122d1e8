// Which GPU this machine has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace otss::internal::cuda {

struct Gpu {
  std::string name;
  std::size_t memory_bytes = 0;
  int num_multiprocessors = 0;
};

struct GpuSearch {
  std::optional<Gpu> gpu;
  std::string reason;  // why there is no GPU that can be used
};

// Looks for the GPU that CUDA numbers first (CUDA_VISIBLE_DEVICES changes the numbers).
GpuSearch find_gpu();

}  // namespace otss::internal::cuda
