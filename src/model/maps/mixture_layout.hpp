// MixtureLayout has the positions of the soft mixture's parameters in one vector, called theta. The
// engine computes the loss at theta, and the optimizer changes theta. The model is
//
//   eta(x, z) = psi'[x,1] + sum_k alpha_k(x) beta_k'[z,1]
//   alpha(x)  = softmax over k of D_k'[x,1],  D_K = 0
//
// and theta consists of
//
//   [ D_1 … D_{K-1} : p+1 each | psi : p+1 | beta_1 … beta_K : J+1 each ]
//
// psi has the slopes and the intercept of the baseline. The last entry of each D_k, of psi and of
// each beta_k is an intercept. D_k'[x,1] is the gate score of expert k, relative to the last
// expert, whose gate score is 0. This is enough, since the softmax does not change if all gate
// scores are shifted by the same number. The penalties (learn/) treat all experts alike, including
// the last one. K = 1 is the pooled model.
#pragma once

#include <cstddef>

namespace otss::internal {

struct MixtureLayout {
  int num_contexts = 0;  // p, the number of encoded context columns
  int num_factors = 0;   // J, the number of factors
  int num_experts = 1;   // K, the number of experts

  // Returns the position of the gate parameters of expert k, where k counts from 0. The last expert
  // has none, so gate(K-1) is the position after the last gate parameter.
  std::size_t gate(int k) const { return static_cast<std::size_t>(k) * (num_contexts + 1); }
  std::size_t baseline() const { return gate(num_experts - 1); }
  std::size_t expert(int k) const {
    return baseline() + (num_contexts + 1) + static_cast<std::size_t>(k) * (num_factors + 1);
  }
  std::size_t size() const { return expert(num_experts); }
};

}  // namespace otss::internal
