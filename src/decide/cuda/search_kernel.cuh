// Finds the three decisions with the largest scores w'z of each context, in f32, and says where two of
// them are certain to be the best two.
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
  const double* weights = nullptr;  // [context][factor]
  std::uint32_t num_contexts = 0;
  const float* decisions = nullptr;  // [decision][padded_factors]
  std::uint32_t num_decisions = 0;
  int num_factors = 0;
  int num_parts = 1;           // the decisions are divided into parts, for different thread blocks
  BestThree* found = nullptr;  // [part][context]
};

// The numbers of the two best decisions of a context, in no order; both are kOpen if rounding leaves
// open which two are the best.
inline constexpr std::uint32_t kOpen = 0xffffffff;
struct BestTwo {
  std::uint32_t index[2];
};

// Joins the parts of a search. `largest` has the largest |z_j| of all decisions.
struct JudgePass {
  SearchPass search;
  const double* largest = nullptr;
  BestTwo* judged = nullptr;  // [context]
};

cudaError_t launch_judge(const JudgePass& pass, cudaStream_t stream);
cudaError_t launch_search(const SearchPass& pass, cudaStream_t stream);

}  // namespace otss::internal::cuda
