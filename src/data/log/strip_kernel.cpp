#include "data/log/isa/strip_kernel.hpp"

namespace otss::internal {

const StripKernel& strip_kernel(Isa isa) {
  return compiled_for(isa, baseline::kStripKernel, avx2::kStripKernel, avx512::kStripKernel);
}

}  // namespace otss::internal
