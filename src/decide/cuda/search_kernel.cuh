// Finds the three decisions with the largest scores w'z of each context, in f32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace otss::internal::cuda {

inline constexpr int kMostFactors = 32;
// A thread block searches for this many contexts.
inline constexpr int kSearchThreads = 128;
inline constexpr int kContextsPerThread = 4;
inline constexpr int kContextsPerBlock = kSearchThreads * kContextsPerThread;

// A decision has this many floats, so that threads can load four at a time.
constexpr int padded_factors(int num_factors) { return (num_factors + 3) / 4 * 4; }

// The three largest scores, the largest first, and the numbers of their decisions.
struct BestThree {
  float score[3];
  std::uint32_t index[3];
};

// Pointers are to memory of the card.
struct SearchPass {
  const float* weights = nullptr;  // [factor][context]
  std::uint32_t num_contexts = 0;
  const float* decisions = nullptr;  // [decision][padded_factors]
  std::uint32_t num_decisions = 0;
  int num_factors = 0;
  int num_parts = 1;           // the decisions are divided into parts, for different thread blocks
  BestThree* found = nullptr;  // [part][context]
};

cudaError_t launch_search(const SearchPass& pass, cudaStream_t stream);

}  // namespace otss::internal::cuda
