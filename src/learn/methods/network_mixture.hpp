// The soft mixture behind a network gate (--gate mlp): alpha = softmax(network(x)), gate and
// experts fitted jointly. For shares that are no monotone function of any direction of the context.
#pragma once

#include <memory>

#include "learn/methods/contextual/network_pass.hpp"
#include "learn/methods/contextual/weight_function.hpp"
#include "learn/methods/method.hpp"
#include "learn/mixture/penalty.hpp"

namespace otss {

// theta = [ network, an output per expert | beta_1 … beta_K : J+1 each, the last its intercept ].
class NetworkMixtureFunction final : public WeightFunction {
 public:
  // `penalty` has the strengths of experts, their centre and the gate's intercepts; `decay` that of
  // everything else in the network.
  NetworkMixtureFunction(const NetworkLayout& gate, int num_factors, double decay,
                         const Penalty& penalty)
      : gate_(gate), num_factors_(num_factors), decay_(decay), penalty_(penalty) {}

  std::size_t size() const override;
  int num_weights() const override { return num_factors_ + 1; }
  void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                 const Derivative& derivative, std::span<double> gradient) const override;
  double add_penalty(std::span<const double> theta, std::span<double> gradient) const override;
  StandardisedModel model(std::span<const double> theta) const override;

 private:
  NetworkLayout gate_;
  int num_factors_;
  double decay_;
  Penalty penalty_;
};

// Settings: the number of experts (--experts, else a few) and the decay.
std::unique_ptr<ComparisonMethod> make_network_mixture(const FitOptions& options);

}  // namespace otss
