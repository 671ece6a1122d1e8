// A warp holds the weights of some contexts in registers, in tiles of 16. A thread block reads the
// decisions tile by tile into shared memory, and copies the next tile while it works on one. Most
// scores are below the fourth best so far, so all that a score costs is its products and one comparison.
#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>

#include <cfloat>
#include <cmath>

#include "decide/cuda/matrix_unit.cuh"
#include "decide/cuda/search_kernel.cuh"

namespace otss::internal::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kGroups = kTileDecisions / kGroupDecisions;  // of a tile

// The numbers of the tiles of contexts that a warp holds. With more, fewer warps would have the registers
// that they need, and could run at the same time.
constexpr int num_context_tiles(int slices) { return slices <= 4 ? 2 : 1; }

// Inserts a score that is larger than the last one.
__device__ void insert(BestScores& best, float score, std::uint32_t index) {
#pragma unroll
  for (int i = kKept - 1; i >= 0; --i) {
    const bool moves = i > 0 && score > best.score[i - 1];
    const bool enters = !moves && score > best.score[i];
    if (moves) {
      best.score[i] = best.score[i - 1];
      best.index[i] = best.index[i - 1];
    } else if (enters) {
      best.score[i] = score;
      best.index[i] = index;
    }
  }
}

__device__ void insert_all(BestScores& best, const BestScores& more) {
#pragma unroll
  for (int i = 0; i < kKept; ++i)
    if (more.score[i] > best.score[kKept - 1]) insert(best, more.score[i], more.index[i]);
}

enum class Side { kWeights, kDecisions };

// Returns a part of a vector: of factor part / 3, in the order of the products.
template <Side kSide>
__device__ __nv_bfloat16 part_of(const float* values, int num_factors, int part) {
  const int j = part / kPartsPerFactor, product = part % kPartsPerFactor;
  if (j >= num_factors) return __float2bfloat16_rn(0.0F);
  const __nv_bfloat16 high = __float2bfloat16_rn(values[j]);
  const bool is_low = product == (kSide == Side::kWeights ? 2 : 1);
  return is_low ? __float2bfloat16_rn(values[j] - __bfloat162float(high)) : high;
}

template <Side kSide>
__device__ std::uint32_t pair_from(const float* values, int num_factors, int part) {
  return pair_of(part_of<kSide>(values, num_factors, part),
                 part_of<kSide>(values, num_factors, part + 1));
}

// Eight decisions and one slice per warp. A decision after the last one has no numbers, so no score of
// it enters.
__global__ void pack(const __grid_constant__ PackPass pass) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= packed_size(pass.num_decisions, pass.num_factors)) return;
  const int slices = num_slices(pass.num_factors), lane = static_cast<int>(i % 32);
  const std::size_t group = i / 32 / slices;
  const int slice = static_cast<int>(i / 32 % slices);
  const std::size_t decision = group * kGroupDecisions + column_of_lane(lane);
  if (decision >= pass.num_decisions) {
    constexpr std::uint32_t kNoNumbers = 0x7fff7fff;
    pass.packed[i] = {kNoNumbers, kNoNumbers};
    return;
  }
  const float* const own = pass.decisions + decision * pass.num_factors;
  const int part = slice * kSliceParts + first_part_of_lane(lane);
  pass.packed[i] = {pair_from<Side::kDecisions>(own, pass.num_factors, part),
                    pair_from<Side::kDecisions>(own, pass.num_factors, part + kSliceParts / 2)};
}

// The contexts of a warp. A lane has two contexts of each tile, and shares them with three other lanes,
// which see other decisions.
template <int kSlices, int kTiles>
struct WarpContexts {
  static constexpr int kOwn = 2 * kTiles;  // contexts of a lane
  ContextParts parts[kTiles][kSlices];
  BestScores best[kOwn];
  float limit[kOwn];  // scores up to this one are not among the best four of the context

  // Returns the number of one of the lane's contexts in the warp.
  static __device__ std::uint32_t row(int own, int lane) {
    return own / 2 * kTileContexts + row_of_lane(lane) + own % 2 * (kTileContexts / 2);
  }

  __device__ WarpContexts(const SearchPass& pass, std::uint32_t first, int lane) {
#pragma unroll
    for (int own = 0; own < kOwn; ++own) {
      const std::uint32_t context = first + row(own, lane);
      // A context after the last one repeats the last one.
      const float* const w =
          pass.weights +
          static_cast<std::size_t>(min(context, pass.num_contexts - 1)) * pass.num_factors;
#pragma unroll
      for (int slice = 0; slice < kSlices; ++slice) {
        const int part = slice * kSliceParts + first_part_of_lane(lane);
        ContextParts& to = parts[own / 2][slice];
        to.pair[own % 2] = pair_from<Side::kWeights>(w, pass.num_factors, part);
        to.pair[own % 2 + 2] =
            pair_from<Side::kWeights>(w, pass.num_factors, part + kSliceParts / 2);
      }
#pragma unroll
      for (int i = 0; i < kKept; ++i) {
        best[own].score[i] = -INFINITY;
        best[own].index[i] = 0;
      }
      limit[own] = -INFINITY;
    }
  }

  // Scores eight decisions; `index` is the lane's first one. The branch is rarely taken.
  __device__ void add(const PackedPairs (&decisions)[kSlices], std::uint32_t index) {
    Scores scores[kTiles];
    bool enters = false;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      scores[tile] = {};
#pragma unroll
      for (int slice = 0; slice < kSlices; ++slice)
        scores[tile] = multiply_add(parts[tile][slice], decisions[slice], scores[tile]);
#pragma unroll
      for (int i = 0; i < 4; ++i) enters |= scores[tile].of[i] > limit[2 * tile + i / 2];
    }
    if (!enters) return;
#pragma unroll
    for (int own = 0; own < kOwn; ++own) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float score = scores[own / 2].of[own % 2 * 2 + i];
        if (score > limit[own]) insert(best[own], score, index + i);
        limit[own] = fmaxf(limit[own], best[own].score[kKept - 1]);
      }
    }
  }

  // The lanes that share a context tell each other what cannot enter any more.
  __device__ void share_limits() {
#pragma unroll
    for (int own = 0; own < kOwn; ++own)
#pragma unroll
      for (int other = 1; other < kLanesPerContext; other *= 2)
        limit[own] = fmaxf(limit[own], of_other_lane(limit[own], other));
  }

  __device__ void write(const SearchPass& pass, std::uint32_t first, int lane) {
#pragma unroll
    for (int own = 0; own < kOwn; ++own) {
      for (int other = 1; other < kLanesPerContext; other *= 2) {
        BestScores more;
#pragma unroll
        for (int i = 0; i < kKept; ++i) {
          more.score[i] = of_other_lane(best[own].score[i], other);
          more.index[i] = of_other_lane(best[own].index[i], other);
        }
        insert_all(best[own], more);
      }
      const std::uint32_t context = first + row(own, lane);
      if (lane % kLanesPerContext == 0 && context < pass.num_contexts)
        pass.found[static_cast<std::size_t>(blockIdx.y) * pass.num_contexts + context] = best[own];
    }
  }
};

// Starts a copy of a tile into shared memory.
template <int kSlices>
__device__ void copy_tile(const PackedPairs* from, PackedPairs* to) {
  constexpr int kPairsAtOnce = 2;  // 16 bytes
  for (int i = threadIdx.x * kPairsAtOnce; i < kGroups * kSlices * 32; i += kThreads * kPairsAtOnce)
    __pipeline_memcpy_async(to + i, from + i, kPairsAtOnce * sizeof(PackedPairs));
  __pipeline_commit();
}

template <int kSlices>
__global__ void __launch_bounds__(kThreads, kSearchBlocksAtOnce)
    search(const __grid_constant__ SearchPass pass) {
  constexpr int kTiles = num_context_tiles(kSlices);
  constexpr int kTilePairs = kGroups * kSlices * 32;
  __shared__ __align__(16) PackedPairs buffers[2][kTilePairs];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t first = (blockIdx.x * kWarps + warp) * kTiles * kTileContexts;
  WarpContexts<kSlices, kTiles> contexts(pass, first, lane);
  const std::uint32_t num_tiles = (pass.num_decisions + kTileDecisions - 1) / kTileDecisions;
  const auto bound = [&](unsigned part) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(num_tiles) * part / gridDim.y);
  };
  const std::uint32_t begin = bound(blockIdx.y), end = bound(blockIdx.y + 1);
  if (begin < end)
    copy_tile<kSlices>(pass.packed + static_cast<std::size_t>(begin) * kTilePairs, buffers[0]);
  for (std::uint32_t tile = begin; tile < end; ++tile) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the tile is there, and no thread needs the other buffer any more
    const PackedPairs* const current = buffers[(tile - begin) % 2];
    if (tile + 1 < end)
      copy_tile<kSlices>(pass.packed + static_cast<std::size_t>(tile + 1) * kTilePairs,
                         buffers[(tile + 1 - begin) % 2]);
    for (int group = 0; group < kGroups; ++group) {
      PackedPairs decisions[kSlices];
#pragma unroll
      for (int slice = 0; slice < kSlices; ++slice)
        decisions[slice] = current[(group * kSlices + slice) * 32 + lane];
      contexts.add(decisions, tile * kTileDecisions + group * kGroupDecisions +
                                  first_score_column_of_lane(lane));
    }
    contexts.share_limits();
  }
  contexts.write(pass, first, lane);
}

// Returns how far a score can be from the exact one. What the parts leave out is at most 3 × 2⁻¹⁶
// |w_j z_j| of each factor. The matrix units add with at least the precision of f32, but may round in any
// direction: each addition loses at most 2⁻²³ of the sum of all |w_j z_j|. Both are taken a little larger
// here. kVanishing is for numbers so small that the GPU may take them for 0. Returns infinity if products
// may be too large for f32.
__device__ double error_of_score(const float* w, const double* largest, int num_factors) {
  constexpr double kSplit = 1.0 / (1 << 14), kRounding = 1.0 / (1 << 22), kVanishing = 4 * FLT_MIN;
  constexpr double kLargest = 1e18;
  const double relative = kSplit + num_slices(num_factors) * kSliceParts * kRounding;
  double error = 0;
  for (int j = 0; j < num_factors; ++j) {
    const double size = fabs(static_cast<double>(w[j]));
    if (!(size < kLargest && largest[j] < kLargest)) return INFINITY;
    error += relative * size * largest[j] + kVanishing * (size + largest[j] + 2);
  }
  return error;
}

// The best two are among the first three if no rounding can have exchanged them with others.
__global__ void judge(const __grid_constant__ JudgePass pass) {
  const SearchPass& search = pass.search;
  const std::uint32_t context = blockIdx.x * blockDim.x + threadIdx.x;
  if (context >= search.num_contexts) return;
  BestScores best = search.found[context];
  for (int part = 1; part < search.num_parts; ++part)
    insert_all(best, search.found[static_cast<std::size_t>(part) * search.num_contexts + context]);
  const float* const w = search.weights + static_cast<std::size_t>(context) * search.num_factors;
  const double to_fourth = static_cast<double>(best.score[1]) - best.score[kCandidates];
  const bool is_certain = to_fourth > 2 * error_of_score(w, pass.largest, search.num_factors);
  pass.judged[context] = is_certain ? BestThree{{best.index[0], best.index[1], best.index[2]}}
                                    : BestThree{{kOpen, kOpen, kOpen}};
}

// Starts the kernel for vectors of kFirst slices, or of kFirst + 1, …
template <int kFirst = 1>
void start(const SearchPass& pass, dim3 grid, cudaStream_t stream) {
  if (num_slices(pass.num_factors) == kFirst) {
    search<kFirst><<<grid, kThreads, 0, stream>>>(pass);
  } else if constexpr (kFirst < num_slices(kMostFactors)) {
    start<kFirst + 1>(pass, grid, stream);
  }
}

}  // namespace

std::uint32_t contexts_per_block(int num_factors) {
  return kWarps * num_context_tiles(num_slices(num_factors)) * kTileContexts;
}

cudaError_t launch_pack(const PackPass& pass, cudaStream_t stream) {
  const std::size_t size = packed_size(pass.num_decisions, pass.num_factors);
  pack<<<static_cast<unsigned>((size + kThreads - 1) / kThreads), kThreads, 0, stream>>>(pass);
  return cudaGetLastError();
}

cudaError_t launch_search(const SearchPass& pass, cudaStream_t stream) {
  const std::uint32_t per_block = contexts_per_block(pass.num_factors);
  start(pass, dim3((pass.num_contexts + per_block - 1) / per_block, pass.num_parts), stream);
  return cudaGetLastError();
}

cudaError_t launch_judge(const JudgePass& pass, cudaStream_t stream) {
  judge<<<(pass.search.num_contexts + kThreads - 1) / kThreads, kThreads, 0, stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
