// Finds the four decisions with the largest scores w'z of each context, on the card's matrix units, and
// says where the best two are certain to be among the first three.
//
// The matrix units multiply numbers with 8 significant bits (bf16). So w and z are split into a high and a low part,
// and w_j z_j is the sum of three products: high × high, high × low, low × high. A score of J factors is
// a product of two vectors with 3 J parts, in slices of 16.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace otss::internal::cuda {

inline constexpr int kMostFactors = 32;
inline constexpr int kPartsPerFactor = 3;
inline constexpr int kSliceParts = 16;
constexpr int num_slices(int num_factors) {
  return (kPartsPerFactor * num_factors + kSliceParts - 1) / kSliceParts;
}

// Thread blocks read this many decisions at a time.
inline constexpr std::uint32_t kTileDecisions = 128;

// So many thread blocks of a search run on a multiprocessor at the same time.
inline constexpr int kSearchBlocksAtOnce = 3;
// A thread block searches for this many contexts.
std::uint32_t contexts_per_block(int num_factors);

// The four largest scores, the largest first, and the numbers of their decisions.
inline constexpr int kKept = 4;
struct BestScores {
  float score[kKept];
  std::uint32_t index[kKept];
};

// Decisions in the order in which the threads of a warp multiply them: [eight decisions][slice][lane].
// Two of the lane's four numbers are in `x`, two in `y`.
struct PackedPairs {
  std::uint32_t x, y;
};
constexpr std::size_t packed_size(std::uint32_t num_decisions, int num_factors) {
  const std::size_t tiles = (num_decisions + kTileDecisions - 1) / kTileDecisions;
  return tiles * (kTileDecisions / 8) * num_slices(num_factors) * 32;
}

// Pointers are to memory of the card.
struct PackPass {
  const float* decisions = nullptr;  // [decision][factor]
  std::uint32_t num_decisions = 0;
  int num_factors = 0;
  PackedPairs* packed = nullptr;
};

struct SearchPass {
  const float* weights = nullptr;  // [context][factor]
  std::uint32_t num_contexts = 0;
  const PackedPairs* packed = nullptr;
  std::uint32_t num_decisions = 0;
  int num_factors = 0;
  int num_parts = 1;            // the decisions are divided into parts, for different thread blocks
  BestScores* found = nullptr;  // [part][context]
};

// Three decisions of a context, in no order, that contain the best two; all are kOpen if rounding leaves
// that open.
inline constexpr std::uint32_t kOpen = 0xffffffff;
inline constexpr int kCandidates = 3;
struct BestThree {
  std::uint32_t index[kCandidates];
};

// Joins the parts of a search. `largest` has the largest |z_j| of all decisions.
struct JudgePass {
  SearchPass search;
  const double* largest = nullptr;
  BestThree* judged = nullptr;  // [context]
};

cudaError_t launch_pack(const PackPass& pass, cudaStream_t stream);
cudaError_t launch_search(const SearchPass& pass, cudaStream_t stream);
cudaError_t launch_judge(const JudgePass& pass, cudaStream_t stream);

}  // namespace otss::internal::cuda
