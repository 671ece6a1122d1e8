// Defines weights as a differentiable function of the context. Each comparison method has its own
// function; loss and baseline are the same for all methods (contextual_fit.hpp).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <span>

#include "learn/deploy/standardised_model.hpp"

namespace otss::internal {

class WeightFunction {
 public:
  virtual ~WeightFunction() = default;

  virtual std::size_t size() const = 0;  // number of parameters

  // The number of weights: one per factor, plus one if the intercept depends on the context too.
  virtual int num_weights() const = 0;

  // Returns the derivative of the loss with respect to the weights. The weights and the derivative
  // are matrices of rows × num_weights().
  using Derivative = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& weights)>;

  // Computes the weights of a block of contexts, calls derivative(weights), and adds the gradient
  // of the loss with respect to theta to `gradient`.
  virtual void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                         const Derivative& derivative, std::span<double> gradient) const = 0;

  // Returns the penalty at theta, on the scale of the summed loss (penalty.hpp), and adds the
  // gradient of the penalty to `gradient`.
  virtual double add_penalty(std::span<const double> theta, std::span<double> gradient) const = 0;

  // Returns the model to deploy, but without the baseline's terms psi'x + psi_0. contextual_model()
  // adds these terms.
  virtual StandardisedModel model(std::span<const double> theta) const = 0;
};

// Returns the ridge penalty 1/2 strength |values|^2 and adds its gradient, strength × values, to
// `gradient`.
double add_ridge(double strength, std::span<const double> values, std::span<double> gradient);

}  // namespace otss::internal
