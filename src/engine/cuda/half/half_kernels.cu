// Compiled once for each number of experts (OTSS_EXPERTS), so that several compilers can work.
#include "engine/cuda/half/launch_half.cuh"

namespace otss::internal::cuda {
namespace {

template <int steps>
constexpr HalfKernel half_kernel() {
  using S = HalfUnrolled<OTSS_EXPERTS, steps>;
  return {S::kShape, launch_half<S>};
}

constexpr HalfKernels kHalfKernels{half_kernel<1>(), half_kernel<2>(), half_kernel<3>(),
                                   half_kernel<4>(), half_kernel<5>(), half_kernel<6>()};

}  // namespace

template <>
const HalfKernels& half_kernels_of<OTSS_EXPERTS>() {
  return kHalfKernels;
}

}  // namespace otss::internal::cuda
