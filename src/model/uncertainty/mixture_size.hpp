// Where each parameter that weights depend on stands, of a mixture behind a linear gate over the
// gate's columns (the encoded contexts, or their monomials):
//
//   [ D_1 … D_{K-1} : columns + 1 each | beta_1 … beta_K : J each ]
//
// D_k the scores' slopes and intercept less the last expert's.
#pragma once

#include <cstddef>

namespace otss {

struct MixtureSize {
  int num_columns = 0;
  int num_factors = 0;
  int num_experts = 1;

  std::size_t gate(int k) const { return static_cast<std::size_t>(k) * (num_columns + 1); }
  std::size_t expert(int k) const {
    return gate(num_experts - 1) + static_cast<std::size_t>(k) * num_factors;
  }
  std::size_t size() const { return expert(num_experts); }
};

}  // namespace otss
