// The shape of a compiled kernel, and how its warps share the work. The kernel's loops are unrolled
// for one shape. A log may have fewer columns than the shape; the missing ones count as zeros.
#pragma once

#include <type_traits>

namespace otss::internal::cuda {

inline constexpr int kWarpRows = 32;                 // a lane holds one row
inline constexpr int kMostSharedBytes = 227 * 1024;  // of a thread block

struct KernelShape {
  int contexts = 0;  // a multiple of 4
  int factors = 0;   // a multiple of 4
  int experts = 0;
  int team = 1;    // the number of warps that share the sums of the gradient: 1, 2 or 4
  int warps = 8;   // of a thread block; each multiprocessor has one block
  int stages = 3;  // the slots of a warp's ring: rows that are being copied or worked on
  int real_bytes = sizeof(float);  // of the numbers that are computed: f32 or f64; columns are f32

  constexpr int columns() const { return contexts + factors; }
  // The last line of a slot has the signed weights.
  constexpr int slot_floats() const { return (columns() + 1) * kWarpRows; }
  constexpr int ring_floats() const { return warps * stages * slot_floats(); }
  // The 2K derivatives of each row, which the warps of a team read from each other.
  constexpr int exchange_reals() const { return team == 1 ? 0 : warps * 2 * experts * kWarpRows; }
  constexpr int shared_bytes() const {
    return ring_floats() * static_cast<int>(sizeof(float)) + 2 * exchange_reals() * real_bytes;
  }
  constexpr int warp_contexts() const { return contexts / team; }
  constexpr int warp_factors() const { return factors / team; }
  constexpr int warp_columns() const { return columns() / team; }
  // A warp's sums: K of each of its contexts, K of each of its factors, 2K constants, the loss.
  constexpr int sums_of_warp() const { return warp_columns() * experts + 2 * experts + 1; }
  // With two slots, the next rows must be on their way before this step's work begins. A team then
  // waits for its slowest warp once more.
  constexpr bool refills_early() const { return team == 1 || stages == 2; }
  // The registers of a lane that hold its sums.
  constexpr int sum_registers() const {
    return warp_columns() * experts * real_bytes / static_cast<int>(sizeof(float));
  }
  constexpr int num_teams() const { return warps / team; }
  bool operator==(const KernelShape&) const = default;

  // True if a log with these numbers can use the kernel.
  constexpr bool holds(int num_contexts, int num_factors, int num_experts) const {
    return num_contexts <= contexts && num_factors <= factors && num_experts == experts;
  }
};

// Shares the sums of a shape among the warps of a team, and chooses the number of warps by the
// registers that a lane needs, and by shared memory. The limits are those of the fastest variants of
// bench_cuda_loss_gradient on an H200.
constexpr KernelShape mixture_shape(int contexts, int factors, int experts, int real_bytes) {
  // The most registers for the sums of a lane alone, and of a lane in a team of two.
  constexpr int kMostAlone = 48, kMostOfTwo = 96;
  KernelShape shape{.contexts = contexts,
                    .factors = factors,
                    .experts = experts,
                    .stages = 4,
                    .real_bytes = real_bytes};
  if (shape.sum_registers() > kMostAlone) shape.team = 2;
  if (shape.sum_registers() > kMostOfTwo) shape.team = 4;
  shape.warps = shape.sum_registers() > 80 ? 8 : shape.sum_registers() > 32 ? 12 : 16;
  const auto is_too_large = [&] { return shape.shared_bytes() > kMostSharedBytes; };
  if (is_too_large()) shape.stages = 3;
  while (shape.warps > 8 && is_too_large()) shape.warps -= 4;
  if (is_too_large()) shape.stages = 2;
  return shape;
}

// A shape as a type, since the arguments of a kernel's template must be types.
template <int contexts, int factors, int experts, int team, int warps, int stages,
          class RealNumber = float>
struct Unrolled {
  using Real = RealNumber;
  static constexpr KernelShape kShape{contexts, factors, experts,     team,
                                      warps,    stages,  sizeof(Real)};
};
template <KernelShape S>
using UnrolledFor = Unrolled<S.contexts, S.factors, S.experts, S.team, S.warps, S.stages,
                             std::conditional_t<S.real_bytes == sizeof(double), double, float>>;

}  // namespace otss::internal::cuda
