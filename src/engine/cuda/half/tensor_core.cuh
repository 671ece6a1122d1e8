// What a kernel needs of the tensor cores: products of small matrices of f16 numbers with f32 sums, and
// the loads that bring such matrices from shared memory into the registers of a warp.
//
// Lane l of a warp holds, with g = l / 4 and t = l % 4:
//
//   left    16 × 16   rows g and g + 8, columns 2t, 2t + 1, 2t + 8, 2t + 9
//   right   16 ×  8   rows 2t, 2t + 1, 2t + 8, 2t + 9, column g
//   sums    16 ×  8   rows g and g + 8, columns 2t, 2t + 1
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "engine/cuda/warp.cuh"

namespace otss::internal::cuda {

using TwoHalves = std::uint32_t;  // two f16 numbers, the first one in the lower bits

struct LeftMatrix {
  TwoHalves pairs[4];  // (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8)
};

// Four matrices of 8 × 8 numbers.
struct FourMatrices {
  TwoHalves pairs[4];
};

// Two f32 numbers as sums of two f16 numbers each, which have 22 bits together.
struct SplitPair {
  TwoHalves high, low;
};
__device__ inline TwoHalves as_bits(__half2 pair) {
  return *reinterpret_cast<const TwoHalves*>(&pair);
}
__device__ inline SplitPair split(float first, float second) {
  const __half2 high = __floats2half2_rn(first, second);
  const float2 rounded = __half22float2(high);
  const __half2 low = __floats2half2_rn(first - rounded.x, second - rounded.y);
  return {as_bits(high), as_bits(low)};
}

// Loads four matrices. Lane l gives the address of line l % 8 of matrix l / 8; a line is 8 numbers, or 16
// bytes. Lane l gets the numbers 2t and 2t + 1 of line g of each matrix.
__device__ inline FourMatrices load_lines(SharedAddress at) {
  FourMatrices out;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out.pairs[0]), "=r"(out.pairs[1]), "=r"(out.pairs[2]), "=r"(out.pairs[3])
               : "r"(at)
               : "memory");
  return out;
}
// The same, but lane l gets number g of the lines 2t and 2t + 1.
__device__ inline FourMatrices load_across_lines(SharedAddress at) {
  FourMatrices out;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out.pairs[0]), "=r"(out.pairs[1]), "=r"(out.pairs[2]), "=r"(out.pairs[3])
               : "r"(at)
               : "memory");
  return out;
}

// Adds left · right to the sums. `upper` has the rows 0 to 7 of the right matrix, `lower` the rows 8 to 15.
__device__ inline void multiply_add(const LeftMatrix& left, TwoHalves upper, TwoHalves lower,
                                    float (&sums)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left.pairs[0]), "r"(left.pairs[1]), "r"(left.pairs[2]), "r"(left.pairs[3]), "r"(upper),
        "r"(lower));
}

}  // namespace otss::internal::cuda
