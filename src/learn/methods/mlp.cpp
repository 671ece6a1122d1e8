#include "learn/methods/mlp.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "learn/methods/contextual/contextual_fit.hpp"
#include "model/maps/weight_maps.hpp"

namespace otss::internal {
namespace {

constexpr int kMlpHidden = 8;
constexpr double kMlpDecays[] = {10, 30, 100, 300};
constexpr int kMlpStarts = 2;
constexpr int kMlpEvaluations = 150;

class Mlp final : public ComparisonMethod {
 public:
  explicit Mlp(int starts) : starts_(starts) {}

  std::vector<NamedValues> settings(const Problem&) const override {
    std::vector<NamedValues> settings;
    for (const double decay : kMlpDecays)
      settings.push_back({{"hidden_units", kMlpHidden}, {"decay", decay}});
    return settings;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    std::vector<StandardisedModel> models(std::size(kMlpDecays));
    parallel_for(models.size(), input.num_threads,
                 [&](std::size_t s) { models[s] = best_of_starts(input, kMlpDecays[s]); });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel& near) const override {
    const auto& map = *std::get<std::shared_ptr<const NetworkWeights>>(near.scorer);
    return fit(input, kMlpDecays[setting],
               contextual_start(near.baseline, to_parameters(map.network())))
        .model;
  }

 private:
  struct Candidate {
    StandardisedModel model;
    double objective = 0;
  };

  static NetworkLayout layout(const Problem& problem) {
    return {problem.num_contexts, kMlpHidden, problem.num_factors()};
  }

  static Candidate fit(const MethodInput& input, double decay, const std::vector<double>& start) {
    const NetworkFunction weights(layout(input.problem), decay, input.pooled.penalty.center);
    const ContextualFit found =
        fit_contextual(input.problem, weights, input.pooled.penalty.baseline, start,
                       {.num_threads = input.num_threads, .max_evaluations = kMlpEvaluations});
    return {contextual_model(weights, found.theta), found.objective};
  }

  // Returns the parameters of the random start with the index `number`. All settings have the same
  // starts, so that settings differ only in their weight decay.
  static std::vector<double> start(const MethodInput& input, int number) {
    const NetworkLayout shape = layout(input.problem);
    Rng rng(input.seed, number);
    std::vector<double> own = random_network(shape, rng);
    std::ranges::copy(pooled_weights(input.pooled),
                      own.begin() + static_cast<std::ptrdiff_t>(shape.output_intercepts()));
    return contextual_start(input.pooled, own);
  }

  StandardisedModel best_of_starts(const MethodInput& input, double decay) const {
    std::vector<Candidate> found(starts_);
    parallel_for(found.size(), input.num_threads, [&](std::size_t number) {
      found[number] = fit(input, decay, start(input, static_cast<int>(number)));
    });
    return std::ranges::min_element(found, {}, &Candidate::objective)->model;
  }

  int starts_;
};

}  // namespace

void NetworkFunction::propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                                const Derivative& derivative, std::span<double> gradient) const {
  const NetworkPass pass(layout_, theta, contexts);
  pass.add_gradient(derivative(pass.outputs()), gradient);
}

double NetworkFunction::add_penalty(std::span<const double> theta,
                                    std::span<double> gradient) const {
  const std::size_t main_effects = layout_.output_intercepts();
  return add_ridge(decay_, theta.first(main_effects), gradient) +
         add_ridge(center_penalty_, theta.subspan(main_effects), gradient.subspan(main_effects));
}

StandardisedModel NetworkFunction::model(std::span<const double> theta) const {
  StandardisedModel model;
  model.scorer = std::make_shared<NetworkWeights>(to_network(layout_, theta));
  return model;
}

std::unique_ptr<ComparisonMethod> make_mlp(const FitOptions& options) {
  return std::make_unique<Mlp>(options.restarts.is_auto() ? kMlpStarts : options.restarts.value);
}

}  // namespace otss::internal
