// The positions of the soft mixture's parameters in one vector. Engines compute the loss of this
// vector, and optimizers change it.
//
//   eta(x, z) = psi'[x,1] + sum_k alpha_k(x) beta_k'[z,1]
//   alpha(x)  = softmax over k of D_k'[x,1],  D_K = 0
//
//   [ D_1 … D_{K-1} : p+1 each | psi : p+1 | beta_1 … beta_K : J+1 each ]
//
// The last entry of each part is its intercept. D_k is the difference between the gate's scores of
// expert k and of the last expert. Differences are enough, since the softmax does not change if all
// scores are shifted. Penalties treat all experts alike nevertheless (learn/). K = 1 is the pooled
// model.
#pragma once

#include <cstddef>

namespace otss::internal {

struct MixtureLayout {
  int num_contexts = 0;  // p
  int num_factors = 0;   // J
  int num_experts = 1;   // K

  std::size_t gate(int k) const {
    return static_cast<std::size_t>(k) * (num_contexts + 1);
  }  // k < K-1
  std::size_t baseline() const { return gate(num_experts - 1); }
  std::size_t expert(int k) const {
    return baseline() + (num_contexts + 1) + static_cast<std::size_t>(k) * (num_factors + 1);
  }
  std::size_t size() const { return expert(num_experts); }
};

}  // namespace otss::internal
