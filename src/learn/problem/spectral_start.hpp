// Starts for the mixture. After the pooled fit, whatever the weights still owe to the context shows
// up in the matrix X' diag(y - p) Z; its top singular pairs (in units where pure noise is white)
// are a gate direction and an expert difference each. One deterministic start from them replaces
// most random ones.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/problem/problem.hpp"

namespace otss {

class SpectralStart {
 public:
  // `pooled` is the fitted theta of problem.layout(1).
  SpectralStart(const Problem& problem, std::span<const double> pooled);

  // theta of problem.layout(num_experts): the top K-1 pairs spread over a simplex.
  std::vector<double> start(int num_experts) const;

  // The same in a random rotation of the pairs, with noise: a restart.
  std::vector<double> restart(int num_experts, Rng& rng) const;

  // The pairs themselves, the largest first: sum_m (x'u_m) v_m estimates w(x) - beta, and x'u_m has
  // unit variance.
  int num_pairs() const { return num_pairs_; }
  std::span<const double> gate_direction(int m) const {
    const std::size_t p = pooled_layout_.num_contexts;
    return std::span(gate_directions_).subspan(m * p, p);
  }
  std::span<const double> expert_direction(int m) const {
    const std::size_t num_factors = pooled_layout_.num_factors;
    return std::span(expert_directions_).subspan(m * num_factors, num_factors);
  }

 private:
  std::vector<double> assemble(int num_experts,
                               const std::vector<std::vector<double>>& vertices) const;

  MixtureLayout pooled_layout_;
  std::vector<double> pooled_;
  int num_pairs_ = 0;
  std::vector<double> gate_directions_;  // pair × p: x'u has unit variance
  std::vector<double>
      expert_directions_;  // pair × J: scaled so that sum_m (x'u_m) v_m estimates w(x) - beta
};

}  // namespace otss
