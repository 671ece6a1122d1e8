// How thread blocks that run at the same time, and the host, wait for each other's numbers. A number and
// the step it belongs to are 8 bytes, which are written and read at once. So whoever sees the step has the
// number too, and no further signal, and no order of several writes, is needed.
#pragma once

#include <cstring>

#include "learn/posterior/cuda/leapfrog_kernel.cuh"

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

// The losses of a step are read while the blocks work on the next one.
__device__ inline unsigned long long* losses_of_step(const LeapfrogPass& pass, unsigned step) {
  return pass.losses + step % 2 * 2 * pass.num_row_blocks();
}

// Reads the numbers of a letter into `to`, which has room for `count`. Returns true if all numbers that this
// thread has read belong to the trajectory.
__device__ inline bool read_letter(const ChainLetter& letter, unsigned trajectory, double* to) {
  constexpr int kAtOnce = 2;  // loads from the host's memory take long
  bool is_complete = true;
  for (int first = threadIdx.x; first < letter.count; first += kAtOnce * kLeapfrogThreads) {
    unsigned long long low[kAtOnce], high[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = min(first + i * kLeapfrogThreads, letter.count - 1);
      low[i] = load_shared(letter.words + at);
      high[i] = load_shared(letter.words + letter.count + at);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = first + i * kLeapfrogThreads;
      if (at >= letter.count) continue;
      is_complete &= low[i] >> 32 == trajectory && high[i] >> 32 == trajectory;
      const unsigned long long bits = high[i] << 32 | (low[i] & 0xFFFFFFFFULL);
      memcpy(to + at, &bits, sizeof(bits));
    }
  }
  return is_complete;
}

__device__ inline void write_to_letter(const ChainLetter& letter, int at, double number,
                                       unsigned trajectory) {
  unsigned long long bits = 0;
  memcpy(&bits, &number, sizeof(bits));
  const unsigned long long tag = static_cast<unsigned long long>(trajectory) << 32;
  volatile unsigned long long* const words = letter.words;
  words[at] = tag | (bits & 0xFFFFFFFFULL);
  words[letter.count + at] = tag | bits >> 32;
}

// Waits for a letter. Returns false, to all threads, if it has not come within that many cycles.
__device__ inline bool wait_for_letter(const ChainLetter& letter, unsigned trajectory, double* to,
                                       long long most_cycles) {
  const long long begin = clock64();
  while (__syncthreads_and(read_letter(letter, trajectory, to)) == 0) {
    const bool is_late = threadIdx.x == 0 && clock64() - begin > most_cycles;
    if (__syncthreads_or(is_late ? 1 : 0) != 0) return false;
  }
  return true;
}

}  // namespace otss::internal::cuda
