// Compiled once for each number of experts (OTSS_EXPERTS), so that several compilers can work.
#include <array>

#include "engine/cuda/launch_mixture.cuh"

namespace otss::internal::cuda {
namespace {

// The most sums of a lane without a team: more do not fit into its registers. Teams have fewer, which
// leaves room for more warps.
constexpr int kMostSumsAlone = 160;
constexpr int kMostSumsInTeam = 96;

// Shares the sums of a shape among the warps of a team, and chooses the number of warps by the
// registers that a lane needs, and by shared memory.
constexpr KernelShape share(int contexts, int factors, int experts) {
  KernelShape shape{.contexts = contexts, .factors = factors, .experts = experts};
  const auto sums = [&] { return shape.warp_columns() * experts; };
  if (sums() > kMostSumsAlone) shape.team = 2;
  if (sums() > kMostSumsInTeam && shape.team == 2) shape.team = 4;
  shape.warps = sums() > kMostSumsInTeam ? 8 : sums() > kMostSumsInTeam / 2 ? 12 : 16;
  while (shape.warps > 8 && shape.shared_bytes() > kMostSharedBytes) shape.warps -= 4;
  while (shape.stages > 2 && shape.shared_bytes() > kMostSharedBytes) --shape.stages;
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
