#include "lab/theory/rate_family.hpp"

#include "base/random.hpp"

namespace otss::internal {

RateLog draw_rate_log(std::uint64_t seed, int log2_n, RateShare form) {
  const std::size_t n = std::size_t{1} << log2_n;
  RateLog log;
  log.contexts.resize(n);
  log.factors.resize(n * kRateFactors);
  log.outcomes.resize(n);
  Rng rng(seed, static_cast<std::uint64_t>(log2_n));
  for (std::size_t i = 0; i < n; ++i) {
    log.contexts[i] = rng.uniform();
    const RateWeights w = rate_weights(log.contexts[i], form);
    double score = 0;
    for (int j = 0; j < kRateFactors; ++j) {
      double& z = log.factors[i * kRateFactors + j];
      z = rng.uniform(-1, 1);
      score += w[j] * z;
    }
    log.outcomes[i] = rng.uniform() < 1 / (1 + std::exp(-score)) ? 1.0F : 0.0F;
  }
  return log;
}

}  // namespace otss::internal
