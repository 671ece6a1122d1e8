#include "model/units/isa/moments_kernel.hpp"

namespace otss::internal {

const MomentsKernel& moments_kernel(Isa isa) {
  return compiled_for(isa, baseline::kMomentsKernel, avx2::kMomentsKernel, avx512::kMomentsKernel);
}

}  // namespace otss::internal
