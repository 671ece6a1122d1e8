// Which context columns the gate needs, learned by a chain as it goes: relevance.hpp's
// expectation–maximisation with the chain's own positions as the expectation, where that one takes
// the curvature at the best point.
#pragma once

#include <span>
#include <vector>

#include "learn/posterior/learned_penalty.hpp"

namespace otss {

class SampledRelevance {
 public:
  explicit SampledRelevance(const MixtureLayout& layout)
      : layout_(layout), sums_(layout.num_contexts, 0.0) {}

  // After every window of positions, `prior` receives the strengths they make most likely. For
  // burn-in only: a prior that keeps changing has no posterior.
  void see(std::span<const double> theta, LearnedPenalty& prior);

 private:
  MixtureLayout layout_;
  std::vector<double> sums_;
  int seen_ = 0;
};

}  // namespace otss
