#include <cuda_pipeline_primitives.h>

#include "engine/cuda/mixture_kernel.cuh"

namespace otss::internal::cuda {
namespace {

constexpr unsigned kAllLanes = 0xffffffff;

template <int K>
constexpr int kSlotFloats =
    (kBlocks<K> * kBlockColumns + 1) * kWarpRows;  // the last line: signed weights

template <int K>
constexpr int kRoundFloats = kWarps * 2 * K* kWarpRows;  // 2K values of each row of each warp

// Waits for the other warps of the team.
template <int kTeam>
__device__ void wait_for_team(int team_of_block) {
  asm volatile("bar.sync %0, %1;" ::"r"(team_of_block + 1), "r"(kTeam * 32) : "memory");
}

// Starts the copy of a warp's columns of 32 rows into a slot. Eight lanes copy the 128 bytes of a
// column, so that one instruction copies a block of four columns.
template <int K>
struct RowCopy {
  const MixturePass<K>& pass;
  const WarpColumns& columns;
  int lane;

  __device__ void start(std::uint64_t quarter, float* slot) const {
    const std::uint64_t index = quarter / 4;
    const std::uint64_t tile = pass.tiles == nullptr ? index : pass.tiles[index];
    const int row = static_cast<int>(quarter % 4) * kWarpRows + lane % 8 * 4;
    const float* const from = pass.features + tile * pass.num_columns * kTileRows + row;
    float* const to = slot + lane / 8 * kWarpRows + lane % 8 * 4;
    const int context_blocks = columns.context_blocks(), factor_blocks = columns.factor_blocks();
    for (int b = 0; b < context_blocks; ++b) {
      const int column = b * kBlockColumns + lane / 8;
      if (column < columns.num_contexts)
        __pipeline_memcpy_async(to + b * kBlockColumns * kWarpRows,
                                from + (columns.first_context + column) * kTileRows, 16);
    }
    for (int b = 0; b < factor_blocks; ++b) {
      const int column = b * kBlockColumns + lane / 8;
      if (column < columns.num_factors)
        __pipeline_memcpy_async(to + (context_blocks + b) * kBlockColumns * kWarpRows,
                                from + (columns.first_factor + column) * kTileRows, 16);
    }
    if (lane < 8)
      __pipeline_memcpy_async(slot + kBlocks<K> * kBlockColumns * kWarpRows + lane * 4,
                              pass.signed_weights + tile * kTileRows + row, 16);
  }
};

struct FourColumns {
  float x[kBlockColumns];
};

__device__ FourColumns load_block(const float* slot, int block, int lane) {
  FourColumns out;
#pragma unroll
  for (int c = 0; c < kBlockColumns; ++c)
    out.x[c] = slot[(block * kBlockColumns + c) * kWarpRows + lane];
  return out;
}

// The sums of one lane, over the rows that it has worked on since the last take().
template <int K>
struct LaneSums {
  float columns[kBlocks<K>][kBlockColumns][K] = {};
  float constants[2 * K] = {};
  float loss = 0, lost = 0;  // `lost` is what rounding took from `loss` (Kahan)
};

template <int K>
__device__ void forward(const float coefficients[][kBlockColumns][K], const WarpColumns& columns,
                        const float* slot, int lane, float (&values)[2 * K]) {
  const int context_blocks = columns.context_blocks(), blocks = columns.blocks();
  FourColumns next = load_block(slot, 0, lane);
#pragma unroll
  for (int b = 0; b < kBlocks<K>; ++b) {
    if (b >= blocks) break;
    const FourColumns now = next;
    if (b + 1 < kBlocks<K>) next = load_block(slot, b + 1, lane);
    auto add = [&](float* to) {
#pragma unroll
      for (int c = 0; c < kBlockColumns; ++c)
#pragma unroll
        for (int k = 0; k < K; ++k) to[k] = fmaf(coefficients[b][c][k], now.x[c], to[k]);
    };
    if (b < context_blocks)
      add(values);
    else
      add(values + K);
  }
}

template <int K>
__device__ void backward(const float (&by_value)[2 * K], const WarpColumns& columns,
                         const float* slot, int lane, LaneSums<K>& sums) {
  const int context_blocks = columns.context_blocks(), blocks = columns.blocks();
  FourColumns next = load_block(slot, 0, lane);
#pragma unroll
  for (int b = 0; b < kBlocks<K>; ++b) {
    if (b >= blocks) break;
    const FourColumns now = next;
    if (b + 1 < kBlocks<K>) next = load_block(slot, b + 1, lane);
    auto add = [&](const float* by) {
#pragma unroll
      for (int c = 0; c < kBlockColumns; ++c)
#pragma unroll
        for (int k = 0; k < K; ++k)
          sums.columns[b][c][k] = fmaf(by[k], now.x[c], sums.columns[b][c][k]);
    };
    if (b < context_blocks)
      add(by_value);
    else
      add(by_value + K);
  }
}

// Adds up the parts of the 2K values that the warps of a team have computed.
template <int K, int kTeam>
__device__ void exchange(float* round, int warp, int lane, float (&values)[2 * K]) {
  const int team = warp / kTeam;
#pragma unroll
  for (int v = 0; v < 2 * K; ++v) round[(warp * 2 * K + v) * kWarpRows + lane] = values[v];
  wait_for_team<kTeam>(team);
#pragma unroll
  for (int v = 0; v < 2 * K; ++v) {
    float total = 0;
#pragma unroll
    for (int w = 0; w < kTeam; ++w)
      total += round[((team * kTeam + w) * 2 * K + v) * kWarpRows + lane];
    values[v] = total;
  }
}

// Replaces the 2K values of a row by the derivatives of its loss, and adds the loss to `sums`. The
// formulas are those of cpu/isa/mixture_kernel.cpp.
template <int K>
__device__ void mix(float signed_weight, float (&values)[2 * K], LaneSums<K>& sums) {
  float* const context = values;
  float* const expert = values + K;
  float largest = 0;  // the last expert has gate score 0
#pragma unroll
  for (int k = 0; k + 1 < K; ++k) largest = fmaxf(largest, context[k]);
  float share[K];
  float total = 0, mean = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    share[k] = __expf((k + 1 < K ? context[k] : 0.0F) - largest);
    total += share[k];
    mean = fmaf(share[k], expert[k], mean);
  }
  const float scale = __frcp_rn(total);
  mean *= scale;
  const float eta = context[K - 1] + mean;

  const float weight = fabsf(signed_weight);
  const float margin = copysignf(1.0F, signed_weight) * eta;
  const float tail = __expf(-fabsf(margin));
  const float loss = weight * (fmaxf(-margin, 0.0F) + log1pf(tail)) - sums.lost;
  const float total_loss = sums.loss + loss;
  sums.lost = (total_loss - sums.loss) - loss;
  sums.loss = total_loss;
  const float by_eta = -signed_weight * __fdividef(margin > 0 ? tail : 1.0F, 1.0F + tail);
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const float by_expert = by_eta * share[k] * scale;
    if (k + 1 < K) context[k] = by_expert * (expert[k] - mean);
    expert[k] = by_expert;
  }
  context[K - 1] = by_eta;
#pragma unroll
  for (int v = 0; v < 2 * K; ++v) sums.constants[v] += values[v];
}

// Adds the sums of the 32 lanes, in a fixed order, to the f64 totals of the warp.
__device__ void take(float& sum, double* total, int lane) {
  double value = sum;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(kAllLanes, value, step);
  if (lane == 0) *total += value;
  sum = 0;
}

template <int K>
__device__ void take_all(LaneSums<K>& sums, double* totals, int lane) {
#pragma unroll
  for (int b = 0; b < kBlocks<K>; ++b)
#pragma unroll
    for (int c = 0; c < kBlockColumns; ++c)
#pragma unroll
      for (int k = 0; k < K; ++k)
        take(sums.columns[b][c][k], totals + (b * kBlockColumns + c) * K + k, lane);
  totals += kBlocks<K> * kBlockColumns * K;
#pragma unroll
  for (int v = 0; v < 2 * K; ++v) take(sums.constants[v], totals + v, lane);
  take(sums.loss, totals + 2 * K, lane);
  sums.lost = 0;
}

template <int K, int kTeam>
__global__ void __launch_bounds__(kWarps * 32, 1)
    loss_gradient(const __grid_constant__ MixturePass<K> pass) {
  extern __shared__ float shared[];
  const int lane = threadIdx.x % 32;
  const int warp = __shfl_sync(kAllLanes, threadIdx.x / 32, 0);
  const int member = warp % kTeam;
  const WarpColumns& columns = pass.warps[member];
  float* const ring = shared + warp * kStages<K> * kSlotFloats<K>;
  float* const rounds = shared + kWarps * kStages<K> * kSlotFloats<K>;
  double* const totals = pass.sums + (blockIdx.x * kWarps + warp) * kSumsPerWarp<K>;

  for (int i = lane; i < kStages<K> * kSlotFloats<K>; i += 32) ring[i] = 0;
  for (int i = lane; i < kSumsPerWarp<K>; i += 32) totals[i] = 0;
  __syncwarp();

  const RowCopy<K> copy{pass, columns, lane};
  const std::uint64_t num_quarters = pass.num_tiles * 4;
  const std::uint64_t num_teams = static_cast<std::uint64_t>(gridDim.x) * (kWarps / kTeam);
  const std::uint64_t first = blockIdx.x * (kWarps / kTeam) + warp / kTeam;
  std::uint64_t ahead = first;
  for (int s = 0; s + 1 < kStages<K>; ++s, ahead += num_teams) {
    if (ahead < num_quarters) copy.start(ahead, ring + s * kSlotFloats<K>);
    __pipeline_commit();
  }

  std::uint64_t quarter = first;
  std::uint32_t step = 0;
  while (quarter < num_quarters) {
    LaneSums<K> sums;
    for (int row = 0; row < kRowsPerSum && quarter < num_quarters;
         ++row, ++step, quarter += num_teams) {
      __pipeline_wait_prior(kStages<K> - 2);
      __syncwarp();  // the copies of all lanes are there, and all lanes are done with the last slot
      if (ahead < num_quarters)
        copy.start(ahead, ring + (step + kStages<K> - 1) % kStages<K> * kSlotFloats<K>);
      __pipeline_commit();
      ahead += num_teams;

      const float* const slot = ring + step % kStages<K> * kSlotFloats<K>;
      float values[2 * K];
#pragma unroll
      for (int v = 0; v < 2 * K; ++v) values[v] = member == 0 ? pass.constants[v] : 0.0F;
      forward<K>(pass.coefficients[member], columns, slot, lane, values);
      if constexpr (kTeam > 1)
        exchange<K, kTeam>(rounds + step % 2 * kRoundFloats<K>, warp, lane, values);
      mix<K>(slot[kBlocks<K> * kBlockColumns * kWarpRows + lane], values, sums);
      backward<K>(values, columns, slot, lane, sums);
    }
    take_all(sums, totals, lane);
  }
}

template <int K, int kTeam>
cudaError_t launch_team(const MixturePass<K>& pass, int num_blocks, cudaStream_t stream) {
  constexpr int kFloats =
      kWarps * kStages<K> * kSlotFloats<K> + (kTeam == 1 ? 0 : 2 * kRoundFloats<K>);
  constexpr int kBytes = kFloats * static_cast<int>(sizeof(float));
  const cudaError_t set = cudaFuncSetAttribute(loss_gradient<K, kTeam>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  loss_gradient<K, kTeam><<<num_blocks, kWarps * 32, kBytes, stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace

template <int K>
cudaError_t launch_pass(const MixturePass<K>& pass, int team, int num_blocks, cudaStream_t stream) {
  switch (team) {
    case 1: return launch_team<K, 1>(pass, num_blocks, stream);
    case 2: return launch_team<K, 2>(pass, num_blocks, stream);
    case 4: return launch_team<K, 4>(pass, num_blocks, stream);
    default: return launch_team<K, 8>(pass, num_blocks, stream);
  }
}

// Each number of experts is compiled by itself (OTSS_EXPERTS), so that several compilers can work.
template cudaError_t launch_pass<OTSS_EXPERTS>(const MixturePass<OTSS_EXPERTS>&, int, int,
                                               cudaStream_t);

}  // namespace otss::internal::cuda
