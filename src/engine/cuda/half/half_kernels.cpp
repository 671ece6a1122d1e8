#include "engine/cuda/half/half_kernels.hpp"

#include <algorithm>

namespace otss::internal::cuda {
namespace {

template <int K = 1>
const HalfKernel* find_half_from(const MixtureLayout& layout) {
  if (layout.num_experts == K) {
    const HalfKernels& kernels = half_kernels_of<K>();
    const auto found = std::ranges::find_if(kernels, [&](const HalfKernel& kernel) {
      return kernel.shape.holds(layout.num_contexts + layout.num_factors, K);
    });
    return found == kernels.end() ? nullptr : &*found;
  }
  if constexpr (K < kMostExperts)
    return find_half_from<K + 1>(layout);
  else
    return nullptr;
}

}  // namespace

const HalfKernel* find_half_kernel(const MixtureLayout& layout) { return find_half_from(layout); }

}  // namespace otss::internal::cuda
