#include "engine/cuda/staged_copy.hpp"

#include <algorithm>
#include <cstring>

#include "base/cuda/device_memory.hpp"
#include "base/threads.hpp"

namespace otss::internal::cuda {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{32} << 20;
constexpr std::size_t kStripBytes = std::size_t{1} << 20;  // what one thread copies at a time

void copy_on_threads(char* to, const char* from, std::size_t num_bytes, int num_threads) {
  const std::size_t num_strips = (num_bytes + kStripBytes - 1) / kStripBytes;
  parallel_for(num_strips, num_threads, [&](std::size_t strip) {
    const std::size_t first = strip * kStripBytes;
    std::memcpy(to + first, from + first, std::min(kStripBytes, num_bytes - first));
  });
}

}  // namespace

StagedCopy::StagedCopy(int num_threads) : num_threads_(num_threads) {
  for (Buffer& buffer : buffers_) {
    require(cudaMallocHost(&buffer.memory, kBufferBytes), "share memory with the host");
    require(cudaEventCreateWithFlags(&buffer.is_read, cudaEventDisableTiming), "make an event");
  }
}

StagedCopy::~StagedCopy() {
  for (const Buffer& buffer : buffers_) {
    cudaEventDestroy(buffer.is_read);
    cudaFreeHost(buffer.memory);
  }
}

void StagedCopy::copy(void* to, const void* from, std::size_t num_bytes, cudaStream_t stream) {
  for (std::size_t done = 0; done < num_bytes; done += kBufferBytes) {
    const Buffer& buffer = buffers_[next_++ % buffers_.size()];
    const std::size_t count = std::min(kBufferBytes, num_bytes - done);
    require(cudaEventSynchronize(buffer.is_read), "finish a copy");
    copy_on_threads(static_cast<char*>(buffer.memory), static_cast<const char*>(from) + done, count,
                    num_threads_);
    require(cudaMemcpyAsync(static_cast<char*>(to) + done, buffer.memory, count,
                            cudaMemcpyHostToDevice, stream),
            "take a copy of the rows");
    require(cudaEventRecord(buffer.is_read, stream), "take a copy of the rows");
  }
}

}  // namespace otss::internal::cuda
