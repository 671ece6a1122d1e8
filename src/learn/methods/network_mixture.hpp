// Fits the soft mixture with a network gate (--gate mlp): alpha = softmax(network(x)). Gate and
// experts are fitted jointly. Unlike a linear gate, this gate can have shares that fall and then
// rise along a direction of the context.
#pragma once

#include <memory>

#include "learn/methods/contextual/network_pass.hpp"
#include "learn/methods/contextual/weight_function.hpp"
#include "learn/methods/method.hpp"
#include "learn/mixture/penalty.hpp"

namespace otss::internal {

// The order of the parameters is
//   theta = [ network with one output per expert | beta_1 … beta_K : J+1 each, intercept last ].
class NetworkMixtureFunction final : public WeightFunction {
 public:
  // `penalty` has the strengths for the experts, for their centre and for the network's output
  // intercepts. `decay` is the strength for all other parameters of the network.
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

// Returns the method. Its settings differ in the number of experts and in the weight decay. If
// --experts is auto, the numbers of experts are defaults::kExperts.
std::unique_ptr<ComparisonMethod> make_network_mixture(const FitOptions& options);

}  // namespace otss::internal
