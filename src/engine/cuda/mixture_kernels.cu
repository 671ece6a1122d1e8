// Compiled once for each number of experts (OTSS_EXPERTS), so that several compilers can work.
#include <array>

#include "engine/cuda/launch_mixture.cuh"

namespace otss::internal::cuda {
namespace {

// Shares the sums of a shape among so many warps that a lane has room for its part.
constexpr KernelShape share(int contexts, int factors, int experts) {
  KernelShape shape{.contexts = contexts, .factors = factors, .experts = experts};
  while (shape.team < 4 && shape.warp_columns() * experts > 96) shape.team *= 2;
  shape.warps = shape.warp_columns() * experts > 48 ? 12 : 16;
  constexpr int kSharedBytes = 227 * 1024;
  while (shape.warps > 8 && shape.shared_bytes() > kSharedBytes) shape.warps -= 4;
  while (shape.stages > 2 && shape.shared_bytes() > kSharedBytes) --shape.stages;
  return shape;
}

template <KernelShape S>
constexpr MixtureKernel kKernel{S, launch_mixture<UnrolledFor<S>>};

constexpr int K = OTSS_EXPERTS;
constexpr std::array kKernels{kKernel<share(8, 8, K)>,   kKernel<share(20, 12, K)>,
                              kKernel<share(32, 16, K)>, kKernel<share(32, 32, K)>,
                              kKernel<share(64, 12, K)>, kKernel<share(64, 32, K)>};

}  // namespace

template <>
std::span<const MixtureKernel> mixture_kernels_of<K>() {
  return kKernels;
}

}  // namespace otss::internal::cuda
