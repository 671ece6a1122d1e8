// Signals between the thread blocks of one grid, all of which run at the same time.
#pragma once

namespace otss::internal::cuda {

// Counts the signals. What a block's threads have written before is seen by who waits for the signal.
__device__ inline void signal_of_block(unsigned* counter) {
  __syncthreads();
  if (threadIdx.x > 0) return;
  __threadfence();
  atomicAdd(counter, 1U);
}

// Waits, with all threads of the block, until there were at least `count` signals.
__device__ inline void wait_for_signals(const unsigned* counter, unsigned count) {
  if (threadIdx.x == 0) {
    unsigned seen = 0;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
    } while (seen < count);
  }
  __syncthreads();
}

}  // namespace otss::internal::cuda
