// Weights as a differentiable function of the context: the part of a comparison method that differs
// between methods. Loss and baseline are shared (contextual_fit.hpp).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <span>

#include "learn/deploy/standardised_model.hpp"

namespace otss {

class WeightFunction {
 public:
  virtual ~WeightFunction() = default;

  virtual std::size_t size() const = 0;  // number of parameters

  // Number of weights: one per factor, plus one if the intercept depends on the context too.
  virtual int num_weights() const = 0;

  // Maps weights to the derivative of the loss by them; both are rows × num_weights().
  using Derivative = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& weights)>;

  // Computes the weights of a block of contexts, calls derivative(weights), and adds the resulting
  // gradient by theta to `gradient`.
  virtual void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                         const Derivative& derivative, std::span<double> gradient) const = 0;

  // Returns the penalty at theta, on the scale of the summed loss (penalty.hpp), and adds its
  // gradient.
  virtual double add_penalty(std::span<const double> theta, std::span<double> gradient) const = 0;

  // The model to deploy; its baseline has only what the function itself contributes.
  virtual StandardisedModel model(std::span<const double> theta) const = 0;
};

// 1/2 strength |v|^2 and its gradient.
double add_ridge(double strength, std::span<const double> values, std::span<double> gradient);

}  // namespace otss
