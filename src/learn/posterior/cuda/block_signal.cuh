// How thread blocks that run at the same time, and the host, wait for each other's numbers. A number and
// the step it belongs to are 8 bytes, which are written and read at once. So whoever sees the step has the
// number too, and no further signal, and no order of several writes, is needed.
#pragma once

#include <cstring>

namespace otss::internal::cuda {

// A number of a step of a chain. Steps count from 1, over all trajectories.
struct StepNumber {
  float number;
  unsigned step;
};

// The step that says to the blocks that the kernel ends. Kernels have different ones, because the number of
// an earlier kernel may still be there.
__device__ inline unsigned end_of_kernel(unsigned kernel) { return 0x80000000U | kernel; }

// Reads memory that others write at the same time.
template <class T>
__device__ T load_shared(const T* at) {
  return *const_cast<const volatile T*>(at);
}

__device__ inline void tell(unsigned long long* at, StepNumber value) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  *const_cast<volatile unsigned long long*>(at) = bits;
}

// Waits for a number of one of two steps.
__device__ inline StepNumber wait_for_step(const unsigned long long* at, unsigned step,
                                           unsigned or_step) {
  StepNumber value{};
  do {
    const unsigned long long bits = load_shared(at);
    memcpy(&value, &bits, sizeof(bits));
  } while (value.step != step && value.step != or_step);
  return value;
}

// Tells the host, in its own memory, that everything the block has written there is complete. All threads
// must call this function.
__device__ inline void tell_host(unsigned* at, unsigned value) {
  __syncthreads();
  if (threadIdx.x > 0) return;
  __threadfence_system();
  *const_cast<volatile unsigned*>(at) = value;
}

// Waits until the host has written this value. Returns false, to all threads, if it does not within that
// many cycles. Afterwards all threads see what the host has written before.
__device__ inline bool wait_for_host(const unsigned* at, unsigned value, long long most_cycles) {
  bool is_there = false;
  if (threadIdx.x == 0) {
    const long long begin = clock64();
    do {
      is_there = load_shared(at) == value;
    } while (!is_there && clock64() - begin < most_cycles);
    __threadfence_system();
  }
  return __syncthreads_or(is_there ? 1 : 0) != 0;
}

}  // namespace otss::internal::cuda
