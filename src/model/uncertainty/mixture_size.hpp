// MixtureSize has the positions of the parameters that the weights of a mixture depend on. The gate
// must be linear in its columns, which are the encoded context or all its monomials up to degree
// two:
//
//   [ D_1 … D_{K-1} : columns + 1 each | beta_1 … beta_K : J each ]
//
// D_k holds the slopes and the intercept of the gate's score for expert k, minus the slopes and the
// intercept for the last expert.
//
// The baseline of eta depends on further parameters, which have an order of their own:
//
//   [ slopes : columns | e_1 … e_K ]
//
// e_k is the intercept of the baseline plus the intercept of expert k. Only these sums are known
// from a log: the shares add up to 1, so a number that is added to every expert's intercept and
// subtracted from the baseline's changes no prediction.
#pragma once

#include <cstddef>

namespace otss::internal {

struct MixtureSize {
  int num_columns = 0;
  int num_factors = 0;
  int num_experts = 1;

  std::size_t gate(int k) const { return static_cast<std::size_t>(k) * (num_columns + 1); }
  std::size_t expert(int k) const {
    return gate(num_experts - 1) + static_cast<std::size_t>(k) * num_factors;
  }
  std::size_t size() const { return expert(num_experts); }

  // The positions of the expert sums e_k, and the number of the baseline's parameters.
  std::size_t intercept(int k) const { return static_cast<std::size_t>(num_columns) + k; }
  std::size_t baseline_size() const { return intercept(num_experts); }
};

}  // namespace otss::internal
