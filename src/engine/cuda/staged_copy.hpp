// Copies from the host's memory to the GPU through buffers that the GPU can read directly. Threads
// of the host fill one buffer while the GPU reads another. So the copy is as fast as the
// connection, the host's memory need not be pinned, and the threads may convert what they copy.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <functional>

namespace otss::internal::cuda {

class StagedCopy {
 public:
  explicit StagedCopy(int num_threads);
  ~StagedCopy();
  StagedCopy(const StagedCopy&) = delete;
  StagedCopy& operator=(const StagedCopy&) = delete;

  // Writes the bytes begin … end - 1 of what is copied to `buffer`. Both are multiples of 64, except for
  // the last end. Several threads call this at the same time.
  using Fill = std::function<void(std::byte* buffer, std::size_t begin, std::size_t end)>;

  // Copies what `fill` writes. Returns when all bytes are in buffers; the GPU's part of the copy runs in
  // `stream`.
  void copy(std::byte* to, std::size_t num_bytes, const Fill& fill, cudaStream_t stream);

 private:
  struct Buffer {
    std::byte* memory = nullptr;
    cudaEvent_t is_read = nullptr;  // the GPU has read what was last in the buffer
  };

  int num_threads_;
  std::array<Buffer, 3> buffers_;
  std::size_t next_ = 0;
};

}  // namespace otss::internal::cuda
