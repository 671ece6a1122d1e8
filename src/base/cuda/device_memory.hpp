// Memory of the GPU that is freed with its owner, and the errors of CUDA as otss::Error.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <utility>

#include "otss/base/error.hpp"

namespace otss::internal::cuda {

// Throws if a call of CUDA failed. `what` says what was tried, as in "copy rows to the GPU".
inline void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw Error(ErrorCode::kFailed, fmt::format("the GPU could not {}: {}; use --device cpu", what,
                                              cudaGetErrorString(result)));
}

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > 0)
      require(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)), "give memory");
  }
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) {
    if (size_ > 0)
      require(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              "take a copy of the rows");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace otss::internal::cuda
