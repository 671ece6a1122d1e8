// A Network has one hidden layer: out = W2 tanh(W1 x + b1) + b2. Network gates and network weight
// maps use it.
#pragma once

#include <span>
#include <vector>

namespace otss {

struct Network {
  int num_inputs = 0;
  int num_outputs = 0;
  std::vector<double> hidden_slopes;      // H × inputs, one row per hidden unit
  std::vector<double> hidden_intercepts;  // H
  std::vector<double> output_slopes;      // outputs × H, one row per output
  std::vector<double> output_intercepts;  // outputs

  int num_hidden() const { return static_cast<int>(hidden_intercepts.size()); }
  bool has_matching_sizes() const;
  void evaluate(std::span<const double> x, std::span<double> out) const;  // does not allocate
};

}  // namespace otss
