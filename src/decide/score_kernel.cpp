#include "decide/isa/score_kernel.hpp"

namespace otss::internal {

const ScoreKernel& score_kernel(Isa isa) {
  return compiled_for(isa, baseline::kScoreKernel, avx2::kScoreKernel, avx512::kScoreKernel);
}

}  // namespace otss::internal
