#include "model/maps/isa/weights_kernel.hpp"

#include "base/isa.hpp"

namespace otss::internal {

const WeightsKernel& weights_kernel(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: return avx512::kWeightsKernel;
    case Isa::kAvx2: return avx2::kWeightsKernel;
    case Isa::kBaseline: break;
  }
  return baseline::kWeightsKernel;
}

}  // namespace otss::internal
