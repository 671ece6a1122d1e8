#include "engine/cuda/mixture_kernels.hpp"

#include <algorithm>

namespace otss::internal::cuda {
namespace {

template <int K = 1>
const MixtureKernel* find_from(const MixtureLayout& layout, int real_bytes) {
  if (layout.num_experts == K) {
    const auto kernels = mixture_kernels_of<K>();
    const auto found = std::ranges::find_if(kernels, [&](const MixtureKernel& kernel) {
      return kernel.launch != nullptr && kernel.shape.real_bytes == real_bytes &&
             kernel.shape.holds(layout.num_contexts, layout.num_factors, K);
    });
    return found == kernels.end() ? nullptr : &*found;
  }
  if constexpr (K < kMostExperts)
    return find_from<K + 1>(layout, real_bytes);
  else
    return nullptr;
}

}  // namespace

const MixtureKernel* find_mixture_kernel(const MixtureLayout& layout, Precision precision) {
  return find_from(layout, precision == Precision::kSingle ? sizeof(float) : sizeof(double));
}

}  // namespace otss::internal::cuda
