#include "model/maps/isa/weights_kernel.hpp"

#include "base/isa.hpp"

namespace otss::internal {

const WeightsKernel& weights_kernel(Isa isa) {
  return compiled_for(isa, baseline::kWeightsKernel, avx2::kWeightsKernel, avx512::kWeightsKernel);
}

}  // namespace otss::internal
