#include "engine/cuda/mixture_kernels.hpp"

#include <algorithm>

namespace otss::internal::cuda {
namespace {

template <int K = 1>
const MixtureKernel* find_from(int num_contexts, int num_factors, int num_experts) {
  if (num_experts == K) {
    const auto kernels = mixture_kernels_of<K>();
    const auto found = std::ranges::find_if(kernels, [&](const MixtureKernel& kernel) {
      return kernel.shape.holds(num_contexts, num_factors, num_experts);
    });
    return found == kernels.end() ? nullptr : &*found;
  }
  if constexpr (K < kMostExperts)
    return find_from<K + 1>(num_contexts, num_factors, num_experts);
  else
    return nullptr;
}

}  // namespace

const MixtureKernel* find_mixture_kernel(int num_contexts, int num_factors, int num_experts) {
  return find_from(num_contexts, num_factors, num_experts);
}

}  // namespace otss::internal::cuda
