// A queue of work for the GPU. Work of different streams runs at the same time.
#pragma once

#include "base/cuda/device_memory.hpp"

namespace otss::internal::cuda {

class Stream {
 public:
  Stream() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "start a stream");
  }
  ~Stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace otss::internal::cuda
