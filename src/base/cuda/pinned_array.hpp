// Memory of the host that the GPU reads and writes directly.
#pragma once

#include <span>

#include "base/cuda/device_memory.hpp"

namespace otss::internal::cuda {

template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t size) : size_(size) {
    require(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)),
            "share memory with the host");
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace otss::internal::cuda
