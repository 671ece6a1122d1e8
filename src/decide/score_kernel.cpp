#include "decide/isa/score_kernel.hpp"

namespace otss::internal {

const ScoreKernel& score_kernel(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: return avx512::kScoreKernel;
    case Isa::kAvx2: return avx2::kScoreKernel;
    case Isa::kBaseline: break;
  }
  return baseline::kScoreKernel;
}

}  // namespace otss::internal
