// Sums of many warps or thread blocks on the GPU, which are added in a fixed order.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "base/cuda/device_memory.hpp"
#include "engine/cuda/general_kernel.cuh"

namespace otss::internal::cuda {

class SummedBlocks {
 public:
  // Each of the `num_parts` parts has `size` sums.
  SummedBlocks(int num_parts, std::size_t size, cudaStream_t stream)
      : num_parts_(num_parts), parts_(num_parts * size), totals_(size), stream_(stream) {}

  double* data() const { return parts_.data(); }
  std::size_t size() const { return totals_.size(); }

  void clear() const {
    require(cudaMemsetAsync(parts_.data(), 0, parts_.size() * sizeof(double), stream_),
            "clear the sums");
  }
  // Waits for the parts, and returns their totals.
  std::vector<double> total() const {
    std::vector<double> totals(size());
    require(launch_add_in_order(parts_.data(), size(), num_parts_, static_cast<int>(size()),
                                totals_.data(), stream_),
            "add the sums");
    require(cudaMemcpyAsync(totals.data(), totals_.data(), size() * sizeof(double),
                            cudaMemcpyDeviceToHost, stream_),
            "return the sums");
    require(cudaStreamSynchronize(stream_), "finish the pass over the rows");
    return totals;
  }

 private:
  int num_parts_;
  DeviceArray<double> parts_, totals_;
  cudaStream_t stream_;
};

}  // namespace otss::internal::cuda
