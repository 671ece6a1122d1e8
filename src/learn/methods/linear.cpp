#include "learn/methods/linear.hpp"

#include "learn/methods/contextual/contextual_fit.hpp"
#include "learn/problem/tile_products.hpp"
#include "model/maps/weight_maps.hpp"

namespace otss::internal {
namespace {

// The ridge strengths tried for the slopes A of w(x) = A x + c. The order is from strong to weak:
// the problem is convex, and each optimum is a good start for the next fit.
constexpr double kSlopePenalties[] = {3000, 1000, 300, 100, 30, 10, 3};

class Linear final : public ComparisonMethod {
 public:
  explicit Linear(bool has_intercept) : has_intercept_(has_intercept) {}

  std::vector<NamedValues> settings(const Problem&) const override {
    std::vector<NamedValues> settings;
    for (const double strength : kSlopePenalties)
      settings.push_back({{"slope_penalty", strength}, {"intercept", has_intercept_}});
    return settings;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    std::vector<StandardisedModel> models;
    std::vector<double> theta = start(input);
    for (const double strength : kSlopePenalties) models.push_back(fit(input, strength, theta));
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel&) const override {
    std::vector<double> theta = start(input);
    return fit(input, kSlopePenalties[setting], theta);
  }

 private:
  LinearFunction function(const MethodInput& input, double strength) const {
    const LinearFunction::Shape shape{input.problem.num_contexts, input.problem.num_factors(),
                                      has_intercept_};
    return {shape, strength, input.pooled.penalty.center};
  }

  std::vector<double> start(const MethodInput& input) const {
    std::vector<double> own(static_cast<std::size_t>(input.problem.num_contexts) *
                            input.problem.num_factors());
    const std::vector<double> main_effects = pooled_weights(input.pooled);
    if (has_intercept_) own.insert(own.end(), main_effects.begin(), main_effects.end());
    return contextual_start(input.pooled, own);
  }

  // Fits one setting. The fit starts from `theta` and writes the optimum to `theta`.
  StandardisedModel fit(const MethodInput& input, double strength,
                        std::vector<double>& theta) const {
    const LinearFunction weights = function(input, strength);
    theta = fit_contextual(input.problem, weights, input.pooled.penalty.baseline, theta,
                           {.num_threads = input.num_threads})
                .theta;
    return contextual_model(weights, theta);
  }

  bool has_intercept_;
};

}  // namespace

std::size_t LinearFunction::num_slopes() const {
  return static_cast<std::size_t>(shape_.num_contexts) * shape_.num_factors;
}

std::size_t LinearFunction::size() const {
  return num_slopes() + (shape_.has_intercept ? shape_.num_factors : 0);
}

void LinearFunction::propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                               const Derivative& derivative, std::span<double> gradient) const {
  const int num_factors = shape_.num_factors;
  const std::size_t num_contexts = shape_.num_contexts;
  Eigen::MatrixXd weights = linear_functions(
      contexts, {static_cast<std::size_t>(num_factors), theta.data(), num_contexts, 1});
  if (shape_.has_intercept) {
    weights.rowwise() +=
        Eigen::Map<const Eigen::RowVectorXd>(theta.data() + num_slopes(), num_factors);
  }
  const Eigen::MatrixXd back = derivative(weights);
  add_products(back, contexts, gradient.data());
  if (shape_.has_intercept) {
    Eigen::Map<Eigen::RowVectorXd>(gradient.data() + num_slopes(), num_factors) +=
        back.colwise().sum();
  }
}

double LinearFunction::add_penalty(std::span<const double> theta,
                                   std::span<double> gradient) const {
  const std::size_t slopes = num_slopes();
  return add_ridge(slope_penalty_, theta.first(slopes), gradient) +
         add_ridge(center_penalty_, theta.subspan(slopes), gradient.subspan(slopes));
}

StandardisedModel LinearFunction::model(std::span<const double> theta) const {
  const auto slopes = theta.first(num_slopes());
  std::vector<double> intercepts(shape_.num_factors, 0.0);
  const auto main_effects = theta.subspan(num_slopes());
  std::copy(main_effects.begin(), main_effects.end(), intercepts.begin());
  StandardisedModel model;
  model.scorer = std::make_shared<LinearWeights>(
      shape_.num_contexts, std::vector<double>(slopes.begin(), slopes.end()), intercepts);
  return model;
}

std::unique_ptr<ComparisonMethod> make_linear(const FitOptions& options) {
  return std::make_unique<Linear>(!options.no_intercept);
}

}  // namespace otss::internal
