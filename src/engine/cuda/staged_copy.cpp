#include "engine/cuda/staged_copy.hpp"

#include <algorithm>

#include "base/cuda/device_memory.hpp"
#include "base/threads.hpp"

namespace otss::internal::cuda {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{32} << 20;
constexpr std::size_t kStripBytes = std::size_t{1} << 20;  // what one thread copies at a time

// Fills a buffer with the bytes begin … end - 1.
void fill_on_threads(std::byte* buffer, std::size_t begin, std::size_t end,
                     const StagedCopy::Fill& fill, int num_threads) {
  const std::size_t num_strips = (end - begin + kStripBytes - 1) / kStripBytes;
  parallel_for(num_strips, num_threads, [&](std::size_t strip) {
    const std::size_t first = strip * kStripBytes;
    fill(buffer + first, begin + first, std::min(begin + first + kStripBytes, end));
  });
}

}  // namespace

StagedCopy::StagedCopy(int num_threads) : num_threads_(num_threads) {
  for (Buffer& buffer : buffers_) {
    require(cudaMallocHost(reinterpret_cast<void**>(&buffer.memory), kBufferBytes),
            "share memory with the host");
    require(cudaEventCreateWithFlags(&buffer.is_read, cudaEventDisableTiming), "make an event");
  }
}

StagedCopy::~StagedCopy() {
  for (const Buffer& buffer : buffers_) {
    cudaEventDestroy(buffer.is_read);
    cudaFreeHost(buffer.memory);
  }
}

void StagedCopy::copy(std::byte* to, std::size_t num_bytes, const Fill& fill, cudaStream_t stream) {
  for (std::size_t done = 0; done < num_bytes; done += kBufferBytes) {
    const Buffer& buffer = buffers_[next_++ % buffers_.size()];
    const std::size_t count = std::min(kBufferBytes, num_bytes - done);
    require(cudaEventSynchronize(buffer.is_read), "finish a copy");
    fill_on_threads(buffer.memory, done, done + count, fill, num_threads_);
    require(cudaMemcpyAsync(to + done, buffer.memory, count, cudaMemcpyHostToDevice, stream),
            "take a copy of the rows");
    require(cudaEventRecord(buffer.is_read, stream), "take a copy of the rows");
  }
}

}  // namespace otss::internal::cuda
