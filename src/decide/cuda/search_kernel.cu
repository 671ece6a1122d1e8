// A thread holds the weights of a few contexts in registers. A thread block reads the decisions tile by
// tile into shared memory; all threads read the same decision at the same time. Most scores are below
// the third best so far, so all that a score costs is its multiply-adds and one comparison.
#include <cmath>
#include <utility>

#include "decide/cuda/search_kernel.cuh"

namespace otss::internal::cuda {
namespace {

constexpr int kTileDecisions = 64;

__device__ void insert(BestThree& best, float score, std::uint32_t index) {
  const int place = score > best.score[0] ? 0 : score > best.score[1] ? 1 : 2;
#pragma unroll
  for (int i = 2; i > 0; --i) {
    if (i > place) {
      best.score[i] = best.score[i - 1];
      best.index[i] = best.index[i - 1];
    }
  }
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    if (i == place) {
      best.score[i] = score;
      best.index[i] = index;
    }
  }
}

// The contexts of one thread.
template <int J>
struct ThreadContexts {
  float w[kContextsPerThread][J];
  BestThree best[kContextsPerThread];

  __device__ ThreadContexts(const SearchPass& pass, std::uint32_t first) {
#pragma unroll
    for (int c = 0; c < kContextsPerThread; ++c) {
      const std::uint32_t context = first + c * kSearchThreads;
#pragma unroll
      for (int j = 0; j < J; ++j)
        w[c][j] = context < pass.num_contexts
                      ? pass.weights[static_cast<std::size_t>(j) * pass.num_contexts + context]
                      : 0.0F;
      best[c] = {{-INFINITY, -INFINITY, -INFINITY}, {0, 0, 0}};
    }
  }

  // One branch for all contexts: it is rarely taken.
  __device__ void add(const float (&z)[padded_factors(J)], std::uint32_t index) {
    float score[kContextsPerThread];
    bool enters = false;
#pragma unroll
    for (int c = 0; c < kContextsPerThread; ++c) {
      score[c] = 0;
#pragma unroll
      for (int j = 0; j < J; ++j) score[c] = fmaf(w[c][j], z[j], score[c]);
      enters |= score[c] > best[c].score[2];
    }
    if (!enters) return;
#pragma unroll
    for (int c = 0; c < kContextsPerThread; ++c)
      if (score[c] > best[c].score[2]) insert(best[c], score[c], index);
  }
};

template <int J>
__global__ void __launch_bounds__(kSearchThreads) search(const __grid_constant__ SearchPass pass) {
  constexpr int kPadded = padded_factors(J), kFours = kPadded / 4;
  __shared__ float4 tile[kTileDecisions * kFours];
  const std::uint32_t first = blockIdx.x * kContextsPerBlock + threadIdx.x;
  ThreadContexts<J> contexts(pass, first);
  const auto bound = [&](unsigned part) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(pass.num_decisions) * part /
                                      gridDim.y);
  };
  const std::uint32_t end = bound(blockIdx.y + 1);
  for (std::uint32_t begin = bound(blockIdx.y); begin < end; begin += kTileDecisions) {
    const std::uint32_t count = min(end - begin, static_cast<std::uint32_t>(kTileDecisions));
    const float4* const from =
        reinterpret_cast<const float4*>(pass.decisions) + static_cast<std::size_t>(begin) * kFours;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count * kFours; i += kSearchThreads) tile[i] = from[i];
    __syncthreads();
#pragma unroll 2
    for (std::uint32_t d = 0; d < count; ++d) {
      float z[kPadded];
#pragma unroll
      for (int four = 0; four < kFours; ++four) {
        const float4 values = tile[d * kFours + four];
        z[4 * four] = values.x;
        z[4 * four + 1] = values.y;
        z[4 * four + 2] = values.z;
        z[4 * four + 3] = values.w;
      }
      contexts.add(z, begin + d);
    }
  }
#pragma unroll
  for (int c = 0; c < kContextsPerThread; ++c) {
    const std::uint32_t context = first + c * kSearchThreads;
    if (context < pass.num_contexts)
      pass.found[static_cast<std::size_t>(blockIdx.y) * pass.num_contexts + context] =
          contexts.best[c];
  }
}

// Starts the kernel for J factors, where J is one of kFirst, kFirst + 1, …
template <int kFirst = 1>
void start(const SearchPass& pass, dim3 grid, cudaStream_t stream) {
  if (pass.num_factors == kFirst) {
    search<kFirst><<<grid, kSearchThreads, 0, stream>>>(pass);
  } else if constexpr (kFirst < kMostFactors) {
    start<kFirst + 1>(pass, grid, stream);
  }
}

}  // namespace

cudaError_t launch_search(const SearchPass& pass, cudaStream_t stream) {
  const std::uint32_t blocks = (pass.num_contexts + kContextsPerBlock - 1) / kContextsPerBlock;
  start(pass, dim3(blocks, pass.num_parts), stream);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
