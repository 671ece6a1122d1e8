// Copies from the host's memory to the GPU through buffers that the GPU can read directly. Threads
// of the host fill one buffer while the GPU reads another. So the copy is as fast as the
// connection, and the host's memory need not be pinned.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace otss::internal::cuda {

class StagedCopy {
 public:
  explicit StagedCopy(int num_threads);
  ~StagedCopy();
  StagedCopy(const StagedCopy&) = delete;
  StagedCopy& operator=(const StagedCopy&) = delete;

  // Returns when all bytes are in buffers; the GPU's part of the copy runs in `stream`.
  void copy(void* to, const void* from, std::size_t num_bytes, cudaStream_t stream);

 private:
  struct Buffer {
    void* memory = nullptr;
    cudaEvent_t is_read = nullptr;  // the GPU has read what was last in the buffer
  };

  int num_threads_;
  std::array<Buffer, 3> buffers_;
  std::size_t next_ = 0;
};

}  // namespace otss::internal::cuda
