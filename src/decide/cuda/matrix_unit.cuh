// One instruction of the matrix units: the scores of 16 contexts and 8 decisions, for one slice of 16
// numbers in bf16. The numbers and the scores are spread over the lanes of a warp (PTX, mma.m16n8k16).
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "decide/cuda/search_kernel.cuh"

namespace otss::internal::cuda {

inline constexpr int kTileContexts = 16;
inline constexpr int kGroupDecisions = 8;
inline constexpr int kLanesPerContext = 4;

// The first of a lane's two contexts; the second is 8 contexts later.
__device__ inline std::uint32_t row_of_lane(int lane) { return lane / 4; }
// The decision whose numbers a lane has.
__device__ inline std::uint32_t column_of_lane(int lane) { return lane / 4; }
// The first of the lane's numbers: two from here, and two from 8 numbers later.
__device__ inline int first_part_of_lane(int lane) { return lane % 4 * 2; }
// The first of the two decisions whose scores a lane gets.
__device__ inline std::uint32_t first_score_column_of_lane(int lane) { return lane % 4 * 2; }

// A lane's numbers of a tile of contexts: two of each of its contexts, then two later ones of each.
struct ContextParts {
  std::uint32_t pair[4];
};

// The scores of the lane's first context with its two decisions, then those of the second context.
struct Scores {
  float of[4];
};

__device__ inline std::uint32_t pair_of(__nv_bfloat16 low, __nv_bfloat16 high) {
  return static_cast<std::uint32_t>(__bfloat16_as_ushort(low)) |
         static_cast<std::uint32_t>(__bfloat16_as_ushort(high)) << 16;
}

__device__ inline Scores multiply_add(const ContextParts& contexts, const PackedPairs& decisions,
                                      const Scores& before) {
  const std::uint32_t* const a = contexts.pair;
  const float* const c = before.of;
  Scores sum;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(sum.of[0]), "=f"(sum.of[1]), "=f"(sum.of[2]), "=f"(sum.of[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(decisions.x), "r"(decisions.y), "f"(c[0]),
        "f"(c[1]), "f"(c[2]), "f"(c[3]));
  return sum;
}

// Returns the value of the lane whose number differs in the bit `bit`.
template <class T>
__device__ T of_other_lane(T value, int bit) {
  return __shfl_xor_sync(0xffffffff, value, bit);
}

}  // namespace otss::internal::cuda
