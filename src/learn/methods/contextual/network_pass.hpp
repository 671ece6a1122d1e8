// Runs the forward and the backward pass of a small network (model/network.hpp) over a block of
// contexts.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "model/maps/network.hpp"

namespace otss::internal {

// The order of a network's parameters in theta:
//   [ W1 : H×inputs | b1 : H | W2 : outputs×H | b2 : outputs ], matrices row by row.
// H is the number of hidden units. W1 and b1 are the slopes and intercepts of the hidden units; W2
// and b2 are those of the outputs.
struct NetworkLayout {
  int num_inputs = 0;
  int num_hidden = 0;
  int num_outputs = 0;

  std::size_t hidden_intercepts() const {
    return static_cast<std::size_t>(num_hidden) * num_inputs;
  }
  std::size_t output_slopes() const { return hidden_intercepts() + num_hidden; }
  std::size_t output_intercepts() const {
    return output_slopes() + static_cast<std::size_t>(num_outputs) * num_hidden;
  }
  std::size_t size() const { return output_intercepts() + num_outputs; }
};

Network to_network(const NetworkLayout& layout, std::span<const double> theta);
std::vector<double> to_parameters(const Network& network);

// Returns a network with random hidden units. The slopes of the units have random directions. The
// thresholds of the units are near the middle of the data, because x is standardised.
std::vector<double> random_network(const NetworkLayout& layout, Rng& rng);

class NetworkPass {
 public:
  NetworkPass(const NetworkLayout& layout, std::span<const double> theta,
              const Eigen::MatrixXd& inputs);
  const Eigen::MatrixXd& outputs() const { return outputs_; }

  // Adds the gradient of a loss with respect to theta to `gradient`. `derivative` is the derivative
  // of this loss with respect to the outputs.
  void add_gradient(const Eigen::MatrixXd& derivative, std::span<double> gradient) const;

 private:
  NetworkLayout layout_;
  std::span<const double> theta_;
  const Eigen::MatrixXd& inputs_;
  Eigen::MatrixXd active_;  // values of the hidden units, after tanh
  Eigen::MatrixXd outputs_;
};

}  // namespace otss::internal
