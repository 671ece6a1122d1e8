// Learns a gate strength per context column during the burn-in of a chain. The algorithm is the
// expectation–maximisation of relevance.hpp, but the expectation is a mean over the positions of
// the chain, not a Laplace approximation.
#pragma once

#include <span>
#include <vector>

#include "learn/posterior/learned_penalty.hpp"

namespace otss::internal {

class SampledRelevance {
 public:
  explicit SampledRelevance(const MixtureLayout& layout)
      : layout_(layout), sums_(layout.num_contexts, 0.0) {}

  // Adds one position of the chain. After every 20 positions, `prior` receives the strengths that
  // are most likely given these positions. Call this during burn-in only: while the prior changes,
  // the chain has no stationary distribution.
  void see(std::span<const double> theta, LearnedPenalty& prior);

 private:
  MixtureLayout layout_;
  std::vector<double> sums_;
  int seen_ = 0;
};

}  // namespace otss::internal
