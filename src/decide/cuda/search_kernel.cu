// A thread holds the weights of a few contexts in registers. A thread block reads the decisions tile by
// tile into shared memory; all threads read the same decision at the same time. Most scores are below
// the third best so far, so all that a score costs is its multiply-adds and one comparison. Two
// decisions share a branch.
#include <cfloat>
#include <cmath>

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
                      ? static_cast<float>(pass.weights[static_cast<std::size_t>(context) * J + j])
                      : 0.0F;
      best[c] = {{-INFINITY, -INFINITY, -INFINITY}, {0, 0, 0}};
    }
  }

  // One branch for two decisions and all contexts: it is rarely taken.
  __device__ void add(const float (&z)[2][padded_factors(J)], std::uint32_t index) {
    float score[2][kContextsPerThread];
    bool enters = false;
#pragma unroll
    for (int d = 0; d < 2; ++d) {
#pragma unroll
      for (int c = 0; c < kContextsPerThread; ++c) {
        score[d][c] = 0;
#pragma unroll
        for (int j = 0; j < J; ++j) score[d][c] = fmaf(w[c][j], z[d][j], score[d][c]);
        enters |= score[d][c] > best[c].score[2];
      }
    }
    if (!enters) return;
#pragma unroll
    for (int d = 0; d < 2; ++d)
#pragma unroll
      for (int c = 0; c < kContextsPerThread; ++c)
        if (score[d][c] > best[c].score[2]) insert(best[c], score[d][c], index + d);
  }
};

template <int kFours>
__device__ void load(const float4* from, float (&z)[4 * kFours]) {
#pragma unroll
  for (int four = 0; four < kFours; ++four) {
    const float4 values = from[four];
    z[4 * four] = values.x;
    z[4 * four + 1] = values.y;
    z[4 * four + 2] = values.z;
    z[4 * four + 3] = values.w;
  }
}

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
    // A decision after the last one has no numbers, so no score of it enters.
    constexpr float kNone = NAN;
    for (std::uint32_t i = threadIdx.x; i < (count + 1) / 2 * 2 * kFours; i += kSearchThreads)
      tile[i] = i < count * kFours ? from[i] : float4{kNone, kNone, kNone, kNone};
    __syncthreads();
#pragma unroll 2
    for (std::uint32_t d = 0; d < count; d += 2) {
      float z[2][kPadded];
      load<kFours>(tile + d * kFours, z[0]);
      load<kFours>(tile + (d + 1) * kFours, z[1]);
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

// Returns how far a score in f32 can be from the exact one: (J + 2) 2⁻²⁴ Σ |w_j z_j|, and a little for
// terms of higher order and for numbers so small that the GPU takes them for 0. Returns infinity if
// products may be too large for f32.
__device__ double error_of_score(const double* w, const double* largest, int num_factors) {
  constexpr double kRounding = FLT_EPSILON / 2, kVanishing = FLT_MIN, kLargest = 1e18;
  double error = 0;
  for (int j = 0; j < num_factors; ++j) {
    const double size = fabs(w[j]);
    if (!(size < kLargest && largest[j] < kLargest)) return INFINITY;
    error +=
        (num_factors + 3) * kRounding * size * largest[j] + kVanishing * (size + largest[j] + 2);
  }
  return error;
}

// The two best decisions are certain if no rounding can have exchanged them with others.
__global__ void judge(const __grid_constant__ JudgePass pass) {
  const SearchPass& search = pass.search;
  const std::uint32_t context = blockIdx.x * blockDim.x + threadIdx.x;
  if (context >= search.num_contexts) return;
  BestThree best = search.found[context];
  for (int part = 1; part < search.num_parts; ++part) {
    const BestThree more =
        search.found[static_cast<std::size_t>(part) * search.num_contexts + context];
#pragma unroll
    for (int i = 0; i < 3; ++i)
      if (more.score[i] > best.score[2]) insert(best, more.score[i], more.index[i]);
  }
  const double* const w = search.weights + static_cast<std::size_t>(context) * search.num_factors;
  const double to_third = static_cast<double>(best.score[1]) - best.score[2];
  const bool is_certain = to_third > 2 * error_of_score(w, pass.largest, search.num_factors);
  pass.judged[context] =
      is_certain ? BestTwo{{best.index[0], best.index[1]}} : BestTwo{{kOpen, kOpen}};
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

cudaError_t launch_judge(const JudgePass& pass, cudaStream_t stream) {
  judge<<<(pass.search.num_contexts + 255) / 256, 256, 0, stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
