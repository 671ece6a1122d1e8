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

// Looks for the GPU of this process. CUDA_VISIBLE_DEVICES changes the numbers of the GPUs.
GpuSearch find_gpu();

// Chooses the GPU of this process (otss/base/device.hpp). Call this function before the GPU is used.
void choose_gpu(int number);

// Starts the GPU of this process in the background. Errors are left to its first use.
void start_gpu();

// Lets the calling thread use the GPU of this process: CUDA keeps a GPU for each thread. Returns its
// number.
int use_gpu();

}  // namespace otss::internal::cuda
