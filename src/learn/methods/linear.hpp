// Fits linear contextual weights, w(x) = A x + c, by logistic ridge regression on the products of
// contexts and factors. With --no-intercept there is no c. A and c have separate penalties, and
// that of c is the penalty of the pooled fit: with one ridge on both, the method predicted worse
// than the pooled model.
#pragma once

#include <memory>

#include "learn/methods/contextual/weight_function.hpp"
#include "learn/methods/method.hpp"

namespace otss::internal {

// The order of the parameters is theta = [ A : J×p, one row per factor | c : J ]. If has_intercept
// is false, theta has no c.
class LinearFunction final : public WeightFunction {
 public:
  struct Shape {
    int num_contexts;
    int num_factors;
    bool has_intercept = true;
  };
  LinearFunction(const Shape& shape, double slope_penalty, double center_penalty)
      : shape_(shape), slope_penalty_(slope_penalty), center_penalty_(center_penalty) {}

  std::size_t size() const override;
  int num_weights() const override { return shape_.num_factors; }
  void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                 const Derivative& derivative, std::span<double> gradient) const override;
  double add_penalty(std::span<const double> theta, std::span<double> gradient) const override;
  StandardisedModel model(std::span<const double> theta) const override;

 private:
  std::size_t num_slopes() const;

  Shape shape_;
  double slope_penalty_, center_penalty_;
};

std::unique_ptr<ComparisonMethod> make_linear(const FitOptions& options);

}  // namespace otss::internal
