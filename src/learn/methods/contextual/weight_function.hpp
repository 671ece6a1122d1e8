// Weights as a function of the context, for fitting: what a comparison method adds to the loss and
// baseline that all of them share (contextual_fit.hpp).
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

  virtual std::size_t size() const = 0;  // parameters

  // How many weights it gives: one per factor, and one more where the intercept depends on the
  // context too.
  virtual int num_weights() const = 0;

  // The derivative of the loss with respect to the weights, both rows × num_weights().
  using Derivative = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& weights)>;

  // One pass over a block of contexts: the weights forth, the derivative back. Adds to `gradient`.
  virtual void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                         const Derivative& derivative, std::span<double> gradient) const = 0;

  // Returns the penalty at theta, in counts of rows as in penalty.hpp, and adds its gradient.
  virtual double add_penalty(std::span<const double> theta, std::span<double> gradient) const = 0;

  // What is deployed; the baseline has only what the function itself adds to it.
  virtual StandardisedModel model(std::span<const double> theta) const = 0;
};

// 1/2 strength |v|^2 and its gradient.
double add_ridge(double strength, std::span<const double> values, std::span<double> gradient);

}  // namespace otss
