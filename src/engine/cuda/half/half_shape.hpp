// The shape of a compiled kernel for rows that are stored in f16 (half_kernel.cuh).
#pragma once

#include "engine/cuda/kernel_shape.hpp"

namespace otss::internal::cuda {

inline constexpr int kStepColumns = 16;   // of one product of the tensor cores
inline constexpr int kMostHalfSteps = 6;  // 96 columns

struct HalfShape {
  int experts = 0;
  int steps = 0;   // the columns, in steps of 16; contexts and factors lie side by side
  int warps = 0;   // of a thread block; each multiprocessor has one block
  int stages = 0;  // the slots of a warp's ring

  constexpr int columns() const { return steps * kStepColumns; }
  constexpr int values() const { return 2 * experts; }
  // A line has the 32 rows of a column, and 16 bytes more, so that eight lines are in different banks.
  static constexpr int kLineBytes = kWarpRows * 2 + 16;
  // The last line of a slot has the signed weights.
  constexpr int slot_bytes() const {
    return columns() * kLineBytes + kWarpRows * static_cast<int>(sizeof(float));
  }
  // The 2K values of each row, in a table with a line for each value. The table has 8 or 16 lines, as the
  // tensor cores need.
  static constexpr int kTableFloats = kWarpRows + 8;  // of a line
  constexpr int table_lines() const { return values() <= 8 ? 8 : 16; }
  constexpr int table_bytes() const {
    return table_lines() * kTableFloats * static_cast<int>(sizeof(float));
  }
  constexpr int warp_bytes() const { return stages * slot_bytes() + table_bytes(); }
  constexpr int shared_bytes() const { return warps * warp_bytes(); }
  // A warp's sums: for each of the 2K values those of all columns, then 2K constants, then the loss.
  constexpr int sums_of_warp() const { return values() * columns() + values() + 1; }

  constexpr bool holds(int num_columns, int num_experts) const {
    return num_columns <= columns() && num_experts == experts;
  }
  bool operator==(const HalfShape&) const = default;
};

// A lane holds 8 sums and 8 coefficients for each step, so more steps leave room for fewer warps.
constexpr HalfShape half_shape(int experts, int steps) {
  HalfShape shape{experts, steps, steps <= 2 ? 16 : steps <= 4 ? 12 : 8, 4};
  while (shape.shared_bytes() > kMostSharedBytes) --shape.stages;
  return shape;
}

}  // namespace otss::internal::cuda
