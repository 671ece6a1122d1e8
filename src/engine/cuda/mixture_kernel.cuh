// Computes the loss of the mixture and its gradient in one reading of the rows, on a GPU, in f32 or f64.
//
// A warp works on 32 rows at a time; each lane holds one row:
//
//   copy       copies of the next rows into a ring in shared memory run while the present rows are
//              worked on
//   forward    computes the 2K values of a row: K-1 gate scores and the baseline from the contexts,
//              the scores of the K experts from the factors
//   mix        computes the loss of the row and its derivatives by the 2K values
//   backward   multiplies the derivatives by the columns; the sums stay in registers
//
// A lane has registers for about 160 sums in f32. If a shape has more, the warps of a team exchange the
// derivatives of their rows, and each warp then adds up its part of the columns for the rows of the
// whole team. A smaller number of sums also leaves room for more warps.
//
// Which rows a warp works on depends only on the number of rows and of multiprocessors, and every
// sum is taken in a fixed order, so two runs give the same bits.
#pragma once

#include <cstdint>

#include "data/log/tile_matrix.hpp"
#include "engine/cuda/kernel_shape.hpp"
#include "engine/cuda/row_mixture.cuh"
#include "engine/cuda/warp.cuh"

namespace otss::internal::cuda {

// A lane adds this many rows before their sum is added to an f64 total.
inline constexpr int kRowsPerSum = 2048;
inline constexpr int kQuarters = static_cast<int>(kTileRows) / kWarpRows;

// The arguments of a kernel, which the card keeps in constant memory: the coefficients are operands
// of the multiply-adds and need no load.
template <class S>
struct MixturePass {
  const float* features;        // TileMatrix
  const float* signed_weights;  // SignedWeights
  std::uint64_t num_tiles;
  int num_contexts;
  int num_columns;
  double* sums;  // [warp of the grid][KernelShape::sums_of_warp]; the kernel adds to them
  // The intercepts of the gate scores, of the baseline, of the experts.
  typename S::Real constants[2 * S::kShape.experts];
  typename S::Real coefficients[S::kShape.columns()][S::kShape.experts];
};

// Copies the columns of 32 rows into a slot.
template <class S>
struct RowCopy {
  const MixturePass<S>& pass;
  int lane;

  // Copies the columns kFirst, kFirst + 4, … Eight lanes copy the 128 bytes of a column, so one
  // instruction copies four columns.
  template <int kLine, int kColumns, int kFirst = 0>
  __device__ void copy_columns(const float* from, int num_columns, SharedAddress to) const {
    if constexpr (kFirst < kColumns) {
      constexpr int kTo = (kLine + kFirst) * kWarpRows;
      constexpr int kFrom = kFirst * static_cast<int>(kTileRows);
      if (kFirst + lane / 8 < num_columns) copy_16_bytes<kTo, kFrom>(to, from);
      copy_columns<kLine, kColumns, kFirst + 4>(from, num_columns, to);
    }
  }

  __device__ void start(std::uint64_t quarter, const float* slot) const {
    const std::uint64_t tile = quarter / kQuarters;
    const int row = static_cast<int>(quarter % kQuarters) * kWarpRows + lane % 8 * 4;
    const float* const from =
        pass.features + (tile * pass.num_columns + lane / 8) * kTileRows + row;
    const SharedAddress to = shared_address(slot + lane * 4);
    copy_columns<0, S::kShape.contexts>(from, pass.num_contexts, to);
    copy_columns<S::kShape.contexts, S::kShape.factors>(from + pass.num_contexts * kTileRows,
                                                        pass.num_columns - pass.num_contexts, to);
    const float* const weights = pass.signed_weights + tile * kTileRows + row;
    if (lane < 8) copy_16_bytes<S::kShape.columns() * kWarpRows, 0>(to, weights);
  }
};

// The sums of one lane, over the rows that it has worked on and has not yet added to a total.
template <class S>
struct LaneSums {
  typename S::Real columns[S::kShape.warp_columns()][S::kShape.experts] = {};
  typename S::Real constants[2 * S::kShape.experts] = {};
  LossSum<typename S::Real> loss;
};

template <class S>
__device__ void forward(const MixturePass<S>& pass, const float* slot, int lane,
                        typename S::Real (&values)[2 * S::kShape.experts]) {
  using Real = typename S::Real;
#pragma unroll
  for (int v = 0; v < 2 * S::kShape.experts; ++v) values[v] = pass.constants[v];
#pragma unroll
  for (int c = 0; c < S::kShape.columns(); ++c) {
    const Real x = slot[c * kWarpRows + lane];
    Real* const to = values + (c < S::kShape.contexts ? 0 : S::kShape.experts);
#pragma unroll
    for (int k = 0; k < S::kShape.experts; ++k) to[k] = fma(pass.coefficients[c][k], x, to[k]);
  }
}

// Adds the products of 32 rows to the sums of the columns that this member of a team adds up.
template <class S>
__device__ void backward(const typename S::Real (&by_value)[2 * S::kShape.experts],
                         const float* slot, int member, int lane, LaneSums<S>& sums) {
  using Real = typename S::Real;
  const float* const contexts = slot + member * S::kShape.warp_contexts() * kWarpRows + lane;
  const float* const factors =
      slot + (S::kShape.contexts + member * S::kShape.warp_factors()) * kWarpRows + lane;
#pragma unroll
  for (int c = 0; c < S::kShape.warp_columns(); ++c) {
    const bool is_context = c < S::kShape.warp_contexts();
    const Real x =
        is_context ? contexts[c * kWarpRows] : factors[(c - S::kShape.warp_contexts()) * kWarpRows];
    const Real* const by = by_value + (is_context ? 0 : S::kShape.experts);
#pragma unroll
    for (int k = 0; k < S::kShape.experts; ++k)
      sums.columns[c][k] = fma(by[k], x, sums.columns[c][k]);
  }
}

// Adds the sums of the 32 lanes to the f64 totals of the warp.
template <class S>
__device__ void take_all(const LaneSums<S>& sums, double* totals, int lane) {
  auto take = [&](double value) {
    const double sum = sum_of_lanes(value);
    if (lane == 0) *totals += sum;
    ++totals;
  };
#pragma unroll
  for (int c = 0; c < S::kShape.warp_columns(); ++c)
#pragma unroll
    for (int k = 0; k < S::kShape.experts; ++k) take(sums.columns[c][k]);
#pragma unroll
  for (int v = 0; v < 2 * S::kShape.experts; ++v) take(sums.constants[v]);
  take(sums.loss.value());
}

// Where a warp is in the grid, and its shared memory.
template <class S>
struct WarpPlace {
  using Real = typename S::Real;
  int lane, warp, team, member;
  float* ring;
  Real* exchange;  // two rounds of derivatives, of all warps of the block

  __device__ explicit WarpPlace(float* shared) {
    lane = threadIdx.x % 32;
    warp = warp_of_thread();
    team = warp / S::kShape.team;
    member = warp % S::kShape.team;
    ring = shared + warp * S::kShape.stages * S::kShape.slot_floats();
    exchange = reinterpret_cast<Real*>(shared + S::kShape.ring_floats());
  }
  __device__ float* slot(std::uint32_t step) const {
    return ring + step % S::kShape.stages * S::kShape.slot_floats();
  }
  // The slot in which another member of the team has the rows of the same step.
  __device__ const float* slot_of(int other, std::uint32_t step) const {
    return slot(step) + (other - member) * S::kShape.stages * S::kShape.slot_floats();
  }
  __device__ Real* derivatives_of(int other, std::uint32_t step) const {
    return exchange + step % 2 * S::kShape.exchange_reals() +
           (team * S::kShape.team + other) * 2 * S::kShape.experts * kWarpRows + lane;
  }
};

// Adds the products of the rows of the whole team.
template <class S>
__device__ void backward_of_team(const WarpPlace<S>& place, std::uint32_t step, LaneSums<S>& sums) {
#pragma unroll
  for (int other = 0; other < S::kShape.team; ++other) {
    const typename S::Real* const theirs = place.derivatives_of(other, step);
    typename S::Real values[2 * S::kShape.experts];
#pragma unroll
    for (int v = 0; v < 2 * S::kShape.experts; ++v) values[v] = theirs[v * kWarpRows];
    backward<S>(values, place.slot_of(other, step), place.member, place.lane, sums);
  }
}

// Works on the rows that are in the slot of this step. `start_copy` refills the slot of the step
// before, which no warp of the team needs any more once all of them have come to this step.
template <class S, class StartCopy>
__device__ void work(const MixturePass<S>& pass, const WarpPlace<S>& place, std::uint32_t step,
                     LaneSums<S>& sums, const StartCopy& start_copy) {
  constexpr int kValues = 2 * S::kShape.experts;
  const float* const slot = place.slot(step);
  if constexpr (S::kShape.team > 1 && S::kShape.refills_early())
    sync_team<S::kShape.team * 32>(place.team);
  if constexpr (S::kShape.refills_early()) start_copy();
  typename S::Real values[kValues];
  forward<S>(pass, slot, place.lane, values);
  mix<S::kShape.experts>(slot[S::kShape.columns() * kWarpRows + place.lane], values, sums.loss);
#pragma unroll
  for (int v = 0; v < kValues; ++v) sums.constants[v] += values[v];
  if constexpr (S::kShape.team == 1) {
    backward<S>(values, slot, 0, place.lane, sums);
  } else {
    typename S::Real* const own = place.derivatives_of(place.member, step);
#pragma unroll
    for (int v = 0; v < kValues; ++v) own[v * kWarpRows] = values[v];
    sync_team<S::kShape.team * 32>(place.team);
    if constexpr (!S::kShape.refills_early()) start_copy();
    backward_of_team<S>(place, step, sums);
  }
}

template <class S>
__global__ void __launch_bounds__(S::kShape.warps * 32, 1)
    loss_gradient(const __grid_constant__ MixturePass<S> pass) {
  extern __shared__ float shared[];
  const WarpPlace<S> place(shared);
  double* const totals =
      pass.sums + static_cast<std::size_t>(blockIdx.x * S::kShape.warps + place.warp) *
                      S::kShape.sums_of_warp();
  // The lines of missing columns stay zero.
  for (int i = place.lane; i < S::kShape.stages * S::kShape.slot_floats(); i += 32)
    place.ring[i] = 0;
  sync_warp();

  // A team takes the next rows of all its warps at once.
  const RowCopy<S> copy{pass, place.lane};
  const std::uint64_t num_units = pass.num_tiles * (kQuarters / S::kShape.team);
  const std::uint64_t num_teams = static_cast<std::uint64_t>(gridDim.x) * S::kShape.num_teams();
  std::uint64_t unit = static_cast<std::uint64_t>(blockIdx.x) * S::kShape.num_teams() + place.team;
  std::uint64_t ahead = unit;
  std::uint32_t step_ahead = 0;
  auto start_copy = [&] {
    if (ahead < num_units)
      copy.start(ahead * S::kShape.team + place.member, place.slot(step_ahead));
    end_batch();
    ahead += num_teams;
    ++step_ahead;
  };
  for (int s = 0; s + 1 < S::kShape.stages; ++s) start_copy();

  for (std::uint32_t step = 0; unit < num_units;) {
    LaneSums<S> sums;
    const std::uint32_t end = step + kRowsPerSum / S::kShape.team;
    for (; step != end && unit < num_units; ++step, unit += num_teams) {
      wait_for_batches<S::kShape.stages - 2>();
      sync_warp();  // the copies of all lanes are there, and all lanes are done with the last slot
      work<S>(pass, place, step, sums, start_copy);
    }
    take_all(sums, totals, place.lane);
  }
}

}  // namespace otss::internal::cuda
