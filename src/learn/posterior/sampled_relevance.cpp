#include "learn/posterior/sampled_relevance.hpp"

#include <algorithm>

#include "learn/mixture/relevance.hpp"

namespace otss::internal {

void SampledRelevance::see(std::span<const double> theta, LearnedPenalty& prior) {
  constexpr int kWindow = 20;
  const std::vector<double> squares = LearnedPenalty::gate_squares(layout_, theta);
  for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += squares[j];
  if (++seen_ % kWindow != 0) return;
  prior.gate_columns.clear();
  for (double& sum : sums_) {
    prior.gate_columns.push_back(
        GammaLaw::known(column_strength(layout_.num_experts, sum / kWindow)));
    sum = 0;
  }
}

}  // namespace otss::internal
