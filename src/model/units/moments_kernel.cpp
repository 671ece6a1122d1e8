#include "model/units/isa/moments_kernel.hpp"

namespace otss::internal {

const MomentsKernel& moments_kernel(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: return avx512::kMomentsKernel;
    case Isa::kAvx2: return avx2::kMomentsKernel;
    case Isa::kBaseline: break;
  }
  return baseline::kMomentsKernel;
}

}  // namespace otss::internal
