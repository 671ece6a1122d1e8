// Fits contextual weights by a network, w(x) = network(x). The network has one hidden layer of tanh
// units; held-out loss chooses the weight decay.
#pragma once

#include <memory>

#include "learn/methods/contextual/network_pass.hpp"
#include "learn/methods/contextual/weight_function.hpp"
#include "learn/methods/method.hpp"

namespace otss::internal {

// NetworkLayout gives the order of the parameters in theta. The output intercepts are the constant
// parts of the weights, and have the penalty of the pooled fit.
class NetworkFunction final : public WeightFunction {
 public:
  NetworkFunction(const NetworkLayout& layout, double decay, double center_penalty)
      : layout_(layout), decay_(decay), center_penalty_(center_penalty) {}

  std::size_t size() const override { return layout_.size(); }
  int num_weights() const override { return layout_.num_outputs; }
  void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                 const Derivative& derivative, std::span<double> gradient) const override;
  double add_penalty(std::span<const double> theta, std::span<double> gradient) const override;
  StandardisedModel model(std::span<const double> theta) const override;

 private:
  NetworkLayout layout_;
  double decay_, center_penalty_;
};

std::unique_ptr<ComparisonMethod> make_mlp(const FitOptions& options);

}  // namespace otss::internal
