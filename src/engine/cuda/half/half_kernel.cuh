// Computes the loss of the mixture and its gradient in one reading of rows that are stored in f16, with the
// tensor cores. They multiply f16 numbers exactly and add in f32. Coefficients and derivatives are split
// into two f16 numbers each (22 bits), so the sums are as precise as those of f32 arithmetic on the same
// rows.
//
// A warp works on 32 rows at a time:
//
//   copy       copies of the next rows into a ring in shared memory run while the present rows are
//              worked on
//   forward    the tensor cores multiply the coefficients by the columns: 2K values for each row. A
//              coefficient of a context is 0 in the values of the experts' scores, and one of a factor
//              is 0 in those of the contexts. So contexts and factors are one matrix
//   mix        each lane computes the loss of one row and its derivatives by the 2K values
//   backward   the tensor cores multiply the derivatives by the columns; the sums stay in registers
//
// Between these steps the values lie in a table in shared memory, since a lane of the tensor cores holds
// some values of several rows, and a lane of `mix` holds all values of a row.
//
// Which rows a warp works on depends only on the number of rows and of multiprocessors, and every sum is
// taken in a fixed order, so two runs give the same bits.
#pragma once

#include <cstdint>

#include "engine/cuda/half/half_shape.hpp"
#include "engine/cuda/half/tensor_core.cuh"
#include "engine/cuda/row_mixture.cuh"
#include "engine/cuda/warp.cuh"

namespace otss::internal::cuda {

// A warp adds so many times 32 rows before their sum is added to an f64 total.
inline constexpr std::uint32_t kStepsPerSum = 64;

// A shape as a type.
template <int experts, int steps, int warps = half_shape(experts, steps).warps,
          int stages = half_shape(experts, steps).stages>
struct HalfUnrolled {
  static constexpr HalfShape kShape{experts, steps, warps, stages};
};

template <class S>
struct HalfPass {
  const TwoHalves* features;    // HalfRows
  const float* signed_weights;  // SignedWeights
  std::uint64_t num_groups;     // of 32 rows
  int num_columns;
  float weight_scale;  // the derivatives of weights times this number fit into f16
  double* sums;        // [warp of the grid][HalfShape::sums_of_warp]; the kernel adds to them
  float constants[S::kShape.values()];
  float coefficients[S::kShape.values()][S::kShape.columns()];
};

// Where a warp is in the grid, and its shared memory.
template <class S>
struct HalfPlace {
  int lane, warp;
  char* ring;
  float* table;

  __device__ explicit HalfPlace(char* shared) {
    lane = threadIdx.x % 32;
    warp = warp_of_thread();
    ring = shared + warp * S::kShape.warp_bytes();
    table = reinterpret_cast<float*>(ring + S::kShape.stages * S::kShape.slot_bytes());
  }
  __device__ char* slot(std::uint32_t step) const {
    return ring + step % S::kShape.stages * S::kShape.slot_bytes();
  }
  // Two neighbouring rows of a value in the table: those of the tensor cores' layout.
  __device__ float2& two_rows(int value, int first_row) const {
    return *reinterpret_cast<float2*>(table + (lane / 4 + value) * HalfShape::kTableFloats +
                                      first_row + lane % 4 * 2);
  }
};

// Copies the columns of 32 rows into a slot. They are one piece of memory; four lanes copy the 64 bytes of
// a column.
template <class S>
struct HalfCopy {
  const HalfPass<S>& pass;
  int lane;

  template <int kFirst = 0>
  __device__ void copy_columns(const float* from, SharedAddress to) const {
    if constexpr (kFirst < S::kShape.columns()) {
      constexpr int kTo = kFirst * HalfShape::kLineBytes / static_cast<int>(sizeof(float));
      constexpr int kFrom = kFirst * kWarpRows / 2;
      if (kFirst + lane / 4 < pass.num_columns) copy_16_bytes<kTo, kFrom>(to, from);
      copy_columns<kFirst + 8>(from, to);
    }
  }

  __device__ void start(std::uint64_t group, const char* slot) const {
    const TwoHalves* const rows =
        pass.features + group * pass.num_columns * (kWarpRows / 2) + lane * 4;
    const SharedAddress line = shared_address(
        reinterpret_cast<const float*>(slot + lane / 4 * HalfShape::kLineBytes + lane % 4 * 16));
    copy_columns(reinterpret_cast<const float*>(rows), line);
    constexpr int kWeights = S::kShape.columns() * HalfShape::kLineBytes;
    const float* const weights = reinterpret_cast<const float*>(slot + kWeights) + lane * 4;
    if (lane < 8)
      copy_16_bytes<0, 0>(shared_address(weights),
                          pass.signed_weights + group * kWarpRows + lane * 4);
  }
};

// The coefficients of 16 columns in all values.
struct SplitCoefficients {
  LeftMatrix high, low;
};

template <class S>
struct LaneCoefficients {
  SplitCoefficients steps[S::kShape.steps];
  float constants[2];  // of the values g and g + 8

  __device__ LaneCoefficients(const HalfPass<S>& pass, int lane) {
    const int value = lane / 4, column = lane % 4 * 2;
#pragma unroll
    for (int s = 0; s < S::kShape.steps; ++s) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int v = value + i % 2 * 8, c = s * kStepColumns + column + i / 2 * 8;
        const bool is_there = v < S::kShape.values();
        const SplitPair pair = split(is_there ? pass.coefficients[v][c] : 0.0F,
                                     is_there ? pass.coefficients[v][c + 1] : 0.0F);
        steps[s].high.pairs[i] = pair.high;
        steps[s].low.pairs[i] = pair.low;
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
      constants[i] = value + i * 8 < S::kShape.values() ? pass.constants[value + i * 8] : 0.0F;
  }
};

// The sums of one lane that have not yet been added to a total.
template <class S>
struct HalfSums {
  float columns[S::kShape.columns() / 8][4] = {};  // of 8 columns each, in the tensor cores' layout
  float constants[S::kShape.values()] = {};
  CarefulSum loss;
};

// Writes the values of the 32 rows to the table.
template <class S>
__device__ void half_forward(const LaneCoefficients<S>& coefficients, const HalfPlace<S>& place,
                             const char* slot) {
  const int lane = place.lane;
  // Of the four matrices, two have the first 8 rows, and two the next 8.
  const SharedAddress line = shared_address(
      reinterpret_cast<const float*>(slot + lane % 16 * HalfShape::kLineBytes + lane / 16 * 16));
#pragma unroll
  for (int row = 0; row < kWarpRows; row += 16) {
    float sums[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[0][i] = sums[1][i] = coefficients.constants[i / 2];
#pragma unroll
    for (int s = 0; s < S::kShape.steps; ++s) {
      const FourMatrices x =
          load_across_lines(line + s * kStepColumns * HalfShape::kLineBytes + row * 2);
      const SplitCoefficients& own = coefficients.steps[s];
      multiply_add(own.low, x.pairs[0], x.pairs[1], sums[0]);
      multiply_add(own.low, x.pairs[2], x.pairs[3], sums[1]);
      multiply_add(own.high, x.pairs[0], x.pairs[1], sums[0]);
      multiply_add(own.high, x.pairs[2], x.pairs[3], sums[1]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      place.two_rows(0, row + half * 8) = {sums[half][0], sums[half][1]};
      if constexpr (S::kShape.table_lines() > 8)
        place.two_rows(8, row + half * 8) = {sums[half][2], sums[half][3]};
    }
  }
}

// Replaces the values of the 32 rows in the table by the derivatives of the loss.
template <class S>
__device__ void half_mix(const HalfPlace<S>& place, float signed_weight, HalfSums<S>& sums) {
  constexpr int kValues = S::kShape.values();
  float* const own = place.table + place.lane;
  float values[kValues];
#pragma unroll
  for (int v = 0; v < kValues; ++v) values[v] = own[v * HalfShape::kTableFloats];
  mix<S::kShape.experts>(signed_weight, values, sums.loss);
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    sums.constants[v] += values[v];
    own[v * HalfShape::kTableFloats] = values[v];
  }
}

// The derivatives of 16 rows, as left matrices.
template <class S>
__device__ SplitCoefficients split_derivatives(const HalfPlace<S>& place, int first_row) {
  SplitCoefficients out{};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i % 2 == 1 && S::kShape.table_lines() == 8) continue;
    const float2 two = place.two_rows(i % 2 * 8, first_row + i / 2 * 8);
    const SplitPair pair = split(two.x, two.y);
    out.high.pairs[i] = pair.high;
    out.low.pairs[i] = pair.low;
  }
  return out;
}

// Adds the products of the derivatives and the columns of the 32 rows.
template <class S>
__device__ void half_backward(const HalfPlace<S>& place, const char* slot, HalfSums<S>& sums) {
  const SharedAddress line = shared_address(reinterpret_cast<const float*>(
      slot + place.lane % 8 * HalfShape::kLineBytes + place.lane / 8 * 16));
  const SplitCoefficients first = split_derivatives(place, 0),
                          second = split_derivatives(place, 16);
#pragma unroll
  for (int q = 0; q < S::kShape.columns() / 8; ++q) {
    const FourMatrices x = load_lines(line + q * 8 * HalfShape::kLineBytes);
    // The tensor cores cut off what does not fit into a sum, so the sum of many rows is added here.
    float of_rows[4] = {};
    multiply_add(first.low, x.pairs[0], x.pairs[1], of_rows);
    multiply_add(second.low, x.pairs[2], x.pairs[3], of_rows);
    multiply_add(first.high, x.pairs[0], x.pairs[1], of_rows);
    multiply_add(second.high, x.pairs[2], x.pairs[3], of_rows);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums.columns[q][i] += of_rows[i];
  }
}

// Adds the sums of a warp to its f64 totals.
template <class S>
__device__ void take_half_sums(const HalfSums<S>& sums, double* totals, int lane) {
#pragma unroll
  for (int q = 0; q < S::kShape.columns() / 8; ++q) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int v = lane / 4 + i / 2 * 8, c = q * 8 + lane % 4 * 2 + i % 2;
      if (v < S::kShape.values()) totals[v * S::kShape.columns() + c] += sums.columns[q][i];
    }
  }
  double* rest = totals + S::kShape.values() * S::kShape.columns();
  const auto take = [&](double value) {
    const double sum = sum_of_lanes(value);
    if (lane == 0) *rest += sum;
    ++rest;
  };
#pragma unroll
  for (int v = 0; v < S::kShape.values(); ++v) take(sums.constants[v]);
  take(sums.loss.value());
}

template <class S>
__global__ void __launch_bounds__(S::kShape.warps * 32, 1)
    half_loss_gradient(const __grid_constant__ HalfPass<S> pass) {
  extern __shared__ __align__(16) char shared_rows[];
  const HalfPlace<S> place(shared_rows);
  const std::uint64_t num_warps = static_cast<std::uint64_t>(gridDim.x) * S::kShape.warps;
  std::uint64_t group = static_cast<std::uint64_t>(blockIdx.x) * S::kShape.warps + place.warp;
  double* const totals = pass.sums + group * S::kShape.sums_of_warp();
  // The lines of missing columns stay zero.
  for (int i = place.lane * 4; i < S::kShape.warp_bytes(); i += 128)
    *reinterpret_cast<float*>(place.ring + i) = 0;
  sync_warp();
  const LaneCoefficients<S> coefficients(pass, place.lane);

  const HalfCopy<S> copy{pass, place.lane};
  std::uint64_t ahead = group;
  std::uint32_t step_ahead = 0;
  const auto start_copy = [&] {
    if (ahead < pass.num_groups) copy.start(ahead, place.slot(step_ahead));
    end_batch();
    ahead += num_warps;
    ++step_ahead;
  };
  for (int s = 0; s + 1 < S::kShape.stages; ++s) start_copy();

  for (std::uint32_t step = 0; group < pass.num_groups;) {
    HalfSums<S> sums;
    const std::uint32_t end = step + kStepsPerSum;
    for (; step != end && group < pass.num_groups; ++step, group += num_warps) {
      wait_for_batches<S::kShape.stages - 2>();
      sync_warp();  // the copies of all lanes are there, and all lanes are done with the last rows
      start_copy();
      const char* const slot = place.slot(step);
      half_forward<S>(coefficients, place, slot);
      sync_warp();
      const auto* const weights =
          reinterpret_cast<const float*>(slot + S::kShape.columns() * HalfShape::kLineBytes);
      half_mix<S>(place, weights[place.lane] * pass.weight_scale, sums);
      sync_warp();
      half_backward<S>(place, slot, sums);
    }
    take_half_sums<S>(sums, totals, place.lane);
  }
}

}  // namespace otss::internal::cuda
