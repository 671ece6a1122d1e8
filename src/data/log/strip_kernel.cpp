#include "data/log/isa/strip_kernel.hpp"

namespace otss::internal {

const StripKernel& strip_kernel(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: return avx512::kStripKernel;
    case Isa::kAvx2: return avx2::kStripKernel;
    case Isa::kBaseline: break;
  }
  return baseline::kStripKernel;
}

}  // namespace otss::internal
