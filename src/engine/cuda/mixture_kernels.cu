// Compiled once for each number of experts (OTSS_EXPERTS), so that several compilers can work.
#include <algorithm>
#include <array>

#include "engine/cuda/launch_mixture.cuh"

namespace otss::internal::cuda {
namespace {

// The most registers for the sums of a lane alone, and of a lane in a team of two and of four. In f64,
// shapes with more are left to the general kernel.
constexpr int kMostAlone = 48;
constexpr int kMostOfTwo = 96;
constexpr int kMostOfFour = 160;

// Shares the sums of a shape among the warps of a team, and chooses the number of warps by the
// registers that a lane needs, and by shared memory. The limits are those of the fastest variants of
// bench_cuda_loss_gradient on an H200.
constexpr KernelShape share(int contexts, int factors, int real_bytes) {
  KernelShape shape{.contexts = contexts,
                    .factors = factors,
                    .experts = OTSS_EXPERTS,
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

template <KernelShape S>
constexpr MixtureKernel kernel() {
  if constexpr (S.real_bytes == sizeof(double) && S.sum_registers() > kMostOfFour)
    return {S, nullptr};
  else
    return {S, launch_mixture<UnrolledFor<S>>};
}

template <int real_bytes>
constexpr std::array kKernelsOf{
    kernel<share(8, 8, real_bytes)>(),   kernel<share(20, 12, real_bytes)>(),
    kernel<share(32, 16, real_bytes)>(), kernel<share(32, 32, real_bytes)>(),
    kernel<share(64, 12, real_bytes)>(), kernel<share(64, 32, real_bytes)>()};

constexpr std::array<MixtureKernel, 12> kKernels = [] {
  std::array<MixtureKernel, 12> all{};
  std::ranges::copy(kKernelsOf<sizeof(float)>, all.begin());
  std::ranges::copy(kKernelsOf<sizeof(double)>, all.begin() + 6);
  return all;
}();

}  // namespace

template <>
std::span<const MixtureKernel> mixture_kernels_of<OTSS_EXPERTS>() {
  return kKernels;
}

}  // namespace otss::internal::cuda
