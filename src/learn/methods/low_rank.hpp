// Fits low-rank contextual weights, w(x) = U V'x + c. So w(x) varies only along a few directions,
// which are the columns of U. It depends only on a few directions of the context, which are the
// columns of V. Held-out loss chooses the rank and the ridge.
#pragma once

#include <memory>

#include "learn/methods/contextual/weight_function.hpp"
#include "learn/methods/method.hpp"

namespace otss::internal {

// The order of the parameters is theta = [ U : J×r | V : p×r | c : J ], matrices row by row. A
// ridge on U and V amounts to a penalty on the sum of the singular values of U V'. Such a penalty
// also sets unneeded directions to zero.
class LowRankFunction final : public WeightFunction {
 public:
  struct Shape {
    int num_contexts;
    int num_factors;
    int rank;
  };
  LowRankFunction(const Shape& shape, double ridge, double center_penalty)
      : shape_(shape), ridge_(ridge), center_penalty_(center_penalty) {}

  std::size_t size() const override { return center() + shape_.num_factors; }
  int num_weights() const override { return shape_.num_factors; }
  void propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                 const Derivative& derivative, std::span<double> gradient) const override;
  double add_penalty(std::span<const double> theta, std::span<double> gradient) const override;
  StandardisedModel model(std::span<const double> theta) const override;

 private:
  std::size_t right() const { return static_cast<std::size_t>(shape_.num_factors) * shape_.rank; }
  std::size_t center() const {
    return right() + static_cast<std::size_t>(shape_.num_contexts) * shape_.rank;
  }

  Shape shape_;
  double ridge_, center_penalty_;
};

std::unique_ptr<ComparisonMethod> make_low_rank(const FitOptions& options);

}  // namespace otss::internal
