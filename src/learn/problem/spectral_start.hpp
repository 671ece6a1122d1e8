// Computes starts for the mixture. If the weights depend on the context, the pooled fit misses this
// dependence. The dependence then appears in the matrix X' diag(y - E y) Z. Here X are the
// contexts, Z the factors, and E y the predictions of the pooled fit. The matrix is whitened, so
// that pure noise has equal variance in all directions. Each leading singular pair then gives a
// gate direction and a difference between experts. One deterministic start from these pairs
// replaces most random starts.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

class SpectralStart {
 public:
  // `pooled` is the fitted theta of problem.layout(1).
  SpectralStart(const Problem& problem, std::span<const double> pooled);

  // Returns a start with the layout problem.layout(num_experts). The K experts are the vertices of
  // a simplex, which the K-1 largest pairs span.
  std::vector<double> start(int num_experts) const;

  // Returns a start like start(), but with a random rotation of the simplex and with random noise.
  std::vector<double> restart(int num_experts, Rng& rng) const;

  // The pairs (u_m, v_m), the largest pair first: gate_direction(m) is u_m, and expert_direction(m)
  // is v_m. sum_m (x'u_m) v_m estimates w(x) minus the pooled weights, and x'u_m has unit variance.
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
  std::vector<double> gate_directions_;    // pair × p: the u_m
  std::vector<double> expert_directions_;  // pair × J: the v_m
};

}  // namespace otss::internal
