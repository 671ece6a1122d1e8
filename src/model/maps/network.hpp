// A Network has one hidden layer: out = W2 tanh(W1 x + b1) + b2. Network gates and network weight
// maps use it.
#pragma once

#include <span>
#include <vector>

namespace otss::internal {

struct Network {
  int num_inputs = 0;
  int num_outputs = 0;
  std::vector<double> hidden_slopes;      // W1, one row per hidden unit
  std::vector<double> hidden_intercepts;  // b1, one entry per hidden unit
  std::vector<double> output_slopes;      // W2, one row per output
  std::vector<double> output_intercepts;  // b2, one entry per output

  int num_hidden() const { return static_cast<int>(hidden_intercepts.size()); }
  bool has_matching_sizes() const;
  void evaluate(std::span<const double> x, std::span<double> out) const;  // allocates no memory
};

}  // namespace otss::internal
