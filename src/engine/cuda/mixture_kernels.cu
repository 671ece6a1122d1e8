// Compiled once for each number of experts (OTSS_EXPERTS), so that several compilers can work.
#include <algorithm>
#include <array>

#include "engine/cuda/launch_mixture.cuh"

namespace otss::internal::cuda {
namespace {

// In f64, shapes with more registers for the sums of a lane are left to the general kernel.
constexpr int kMostOfFour = 160;

template <int contexts, int factors, int real_bytes>
constexpr MixtureKernel kernel() {
  constexpr KernelShape kShape = mixture_shape(contexts, factors, OTSS_EXPERTS, real_bytes);
  if constexpr (real_bytes == sizeof(double) && kShape.sum_registers() > kMostOfFour)
    return {kShape, nullptr};
  else
    return {kShape, launch_mixture<UnrolledFor<kShape>>};
}

template <int real_bytes>
constexpr std::array kKernelsOf{kernel<8, 8, real_bytes>(),   kernel<20, 12, real_bytes>(),
                                kernel<32, 16, real_bytes>(), kernel<32, 32, real_bytes>(),
                                kernel<64, 12, real_bytes>(), kernel<64, 32, real_bytes>()};

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
