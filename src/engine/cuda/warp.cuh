// What the kernels need of the GPU's own instructions: copies that run in the background, barriers
// of several warps, and sums over the lanes of a warp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

namespace otss::internal::cuda {

inline constexpr unsigned kAllLanes = 0xffffffff;

__device__ inline void sync_warp() { __syncwarp(); }

// Returns the number of this thread's warp. The compiler learns that all lanes have the same number.
__device__ inline int warp_of_thread() { return __shfl_sync(kAllLanes, threadIdx.x / 32, 0); }

// Waits until all threads of a team have come here. Barrier 0 belongs to __syncthreads.
template <int kThreads>
__device__ void sync_team(int team) {
  asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "n"(kThreads) : "memory");
}

// An address in shared memory, as copies need it.
using SharedAddress = std::uint32_t;
__device__ inline SharedAddress shared_address(const float* at) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(at));
}

// Starts a copy of 16 bytes from the card's memory to shared memory. The offsets, in floats, are
// known to the compiler, so that all copies of a thread have one address each.
template <int kTo, int kFrom>
__device__ void copy_16_bytes(SharedAddress to, const float* from) {
  constexpr int kFloat = sizeof(float);
  asm volatile("cp.async.cg.shared.global [%0 + %2], [%1 + %3], 16;" ::"r"(to), "l"(from),
               "n"(kTo * kFloat), "n"(kFrom * kFloat)
               : "memory");
}
// Ends a batch of copies.
__device__ inline void end_batch() { __pipeline_commit(); }
// Waits for all batches of this thread except the last `kRunning` ones.
template <int kRunning>
__device__ void wait_for_batches() {
  __pipeline_wait_prior(kRunning);
}

// Returns the value of the lane whose number differs in the bit `bit`.
__device__ inline float of_other_lane(float value, int bit) {
  return __shfl_xor_sync(kAllLanes, value, bit);
}

// Returns the sum over the lanes, in a fixed order, to lane 0.
__device__ inline double sum_of_lanes(double value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(kAllLanes, value, step);
  return value;
}

}  // namespace otss::internal::cuda
