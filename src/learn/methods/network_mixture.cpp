#include "learn/methods/network_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "learn/methods/contextual/contextual_fit.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/quadratic_start.hpp"
#include "learn/problem/spectral_start.hpp"
#include "learn/problem/tile_products.hpp"
#include "model/maps/gates.hpp"

namespace otss::internal {
namespace {

constexpr int kHidden = 8;
// The weight decays. The order is from weak to strong: a strong decay makes the gate constant, and
// a fit with a weaker decay that starts there leaves the gate constant.
constexpr double kDecays[] = {10, 30, 60, 120};
constexpr double kExpertPenalty = 2.5;
constexpr double kLinearGatePenalty = 15;
constexpr int kAutoStarts = 4;  // one linear start, one quadratic start, two random starts
constexpr int kScreeningEvaluations = 40;
constexpr int kEvaluations = 200;
// Standard deviation of the experts about the pooled weights, in random starts.
constexpr double kExpertSpread = 0.5;
constexpr double kCurvedScale = 1.5;  // scale of the gate scores in the quadratic start
// The quadratic start multiplies the differences between experts by this number. It is above 1
// because the slope of the softmax is small, so that shares vary less than gate scores.
constexpr double kCurvedStep = 1.7;
// Largest norm of the slopes of a hidden unit that imitates a linear gate. With small slopes, tanh
// is nearly linear.
constexpr double kBend = 0.5;

using Eigen::MatrixXd;

struct GateSetting {
  int experts;
  double decay;
};

MatrixXd softmax(const MatrixXd& scores) {
  MatrixXd alpha = (scores.colwise() - scores.rowwise().maxCoeff()).array().exp();
  alpha.array().colwise() /= alpha.rowwise().sum().array();
  return alpha;
}

// Makes the network imitate a linear gate. For each expert except the last, one hidden unit
// computes the difference between the gate scores of this expert and of the last expert. The input
// of the unit is so small that tanh is nearly linear.
void imitate_linear_gate(const MixtureLayout& layout, std::span<const double> linear,
                         const NetworkLayout& shape, std::span<double> network) {
  const int p = layout.num_contexts;
  for (int k = 0; k < std::min(layout.num_experts - 1, shape.num_hidden); ++k) {
    const Eigen::Map<const Eigen::VectorXd> slopes(linear.data() + layout.gate(k), p);
    const double scale = kBend / std::max(slopes.norm(), kBend);
    for (int j = 0; j < p; ++j) network[k * p + j] = scale * slopes[j];
    network[shape.hidden_intercepts() + k] = 0;
    for (int e = 0; e < layout.num_experts; ++e)
      network[shape.output_slopes() + e * shape.num_hidden + k] = e == k ? 1 / scale : 0.0;
    network[shape.output_intercepts() + k] = linear[layout.gate(k) + p];
  }
}

class NetworkMixture final : public ComparisonMethod {
 public:
  explicit NetworkMixture(const FitOptions& options)
      : starts_(options.restarts.is_auto() ? kAutoStarts : options.restarts.value) {
    if (options.experts.is_auto()) {
      experts_.assign(defaults::kExperts.begin(), defaults::kExperts.end());
    } else {
      experts_ = {options.experts.value};
    }
  }

  std::vector<NamedValues> settings(const Problem&) const override {
    std::vector<NamedValues> settings;
    for (const GateSetting& s : grid())
      settings.push_back({{"experts", s.experts}, {"hidden_units", kHidden}, {"decay", s.decay}});
    return settings;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const SpectralStart spectral(input.problem, input.pooled.fit.theta);
    const std::vector<GateSetting> all = grid();
    std::vector<StandardisedModel> models(all.size());
    constexpr std::size_t kSettings = std::size(kDecays);  // with the same number of experts
    parallel_for(experts_.size(), input.num_threads, [&](std::size_t count) {
      std::vector<double> theta = best_start(input, all[count * kSettings], spectral);
      for (std::size_t s = count * kSettings; s < (count + 1) * kSettings; ++s) {
        theta = fit(input, all[s], theta, kEvaluations).theta;
        models[s] = contextual_model(function(input, all[s]), theta);
      }
    });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel& near) const override {
    const SoftMixture& mixture = mixture_of(near);
    const auto& gate = std::get<NetworkGate>(mixture.gate());
    std::vector<double> own = to_parameters(gate.network());
    for (int k = 0; k < mixture.num_experts(); ++k) {
      own.insert(own.end(), mixture.expert(k).begin(), mixture.expert(k).end());
      own.push_back(near.baseline.expert_intercepts[k]);
    }
    const GateSetting chosen = grid()[setting];
    const auto start = contextual_start(near.baseline, own);
    return contextual_model(function(input, chosen), fit(input, chosen, start, kEvaluations).theta);
  }

 private:
  std::vector<GateSetting> grid() const {
    std::vector<GateSetting> settings;
    for (const int experts : experts_) {
      for (const double decay : kDecays) settings.push_back({experts, decay});
    }
    return settings;
  }

  static NetworkLayout gate_layout(const MethodInput& input, int experts) {
    return {input.problem.num_contexts, kHidden, experts};
  }

  static NetworkMixtureFunction function(const MethodInput& input, const GateSetting& setting) {
    Penalty penalty = input.pooled.penalty;
    penalty.expert = kExpertPenalty;
    return {gate_layout(input, setting.experts), input.problem.num_factors(), setting.decay,
            penalty};
  }

  static ContextualFit fit(const MethodInput& input, const GateSetting& setting,
                           std::span<const double> start, int evaluations) {
    return fit_contextual(input.problem, function(input, setting), input.pooled.penalty.baseline,
                          start,
                          {.num_threads = input.num_threads, .max_evaluations = evaluations});
  }

  // Returns a start made from a fitted mixture with a linear gate. Some hidden units imitate this
  // gate; the other hidden units are random.
  static std::vector<double> linear_start(const MethodInput& input, int experts,
                                          const SpectralStart& spectral, Rng& rng) {
    Penalty penalty = input.pooled.penalty;
    penalty.expert = kExpertPenalty;
    penalty.gate = kLinearGatePenalty;
    const MixtureLayout layout = input.problem.layout(experts);
    const std::vector<double> linear =
        fit_mixture(input.problem, penalty, layout, spectral.start(experts),
                    {input.num_threads, false})
            .theta;
    const NetworkLayout shape = gate_layout(input, experts);
    std::vector<double> own = random_network(shape, rng);
    imitate_linear_gate(layout, linear, shape, own);
    const auto beta = std::span(linear).subspan(layout.expert(0));
    own.insert(own.end(), beta.begin(), beta.end());
    return contextual_start(mixture_model(layout, linear).baseline, own);
  }

  // Returns a start in which two hidden units together give the gate score of the first expert.
  // Along one direction of the context, this score is small in the middle and large at both ends.
  static std::vector<double> quadratic_start(const MethodInput& input, int experts, Rng& rng) {
    const NetworkLayout shape = gate_layout(input, experts);
    const QuadraticPair pair = find_quadratic_pair(input.problem, input.pooled.fit.theta);
    std::vector<double> own = random_network(shape, rng);
    for (int unit = 0; unit < 2; ++unit) {
      const double side = unit == 0 ? -1 : 1;
      std::ranges::copy(pair.direction, own.begin() + unit * shape.num_inputs);
      own[shape.hidden_intercepts() + unit] = side;
      for (int k = 0; k < experts; ++k)
        own[shape.output_slopes() + k * kHidden + unit] = k == 0 ? -kCurvedScale * side : 0.0;
    }
    own[shape.output_intercepts()] = kCurvedScale;  // makes the mean gate score about zero
    const std::vector<double> center = pooled_weights(input.pooled);
    for (int k = 0; k < experts; ++k) {
      const double step = k == 0 ? kCurvedStep : -kCurvedStep;
      for (std::size_t j = 0; j < center.size(); ++j)
        own.push_back(center[j] + step * pair.difference[j]);
      own.push_back(0);
    }
    return contextual_start(input.pooled, own);
  }

  // Returns a start with random hidden units and with experts at random distances from the pooled
  // weights.
  static std::vector<double> random_start(const MethodInput& input, int experts, Rng& rng) {
    const NetworkLayout shape = gate_layout(input, experts);
    std::vector<double> own = random_network(shape, rng);
    const std::vector<double> center = pooled_weights(input.pooled);
    for (int k = 0; k < experts; ++k) {
      for (const double weight : center) own.push_back(weight + kExpertSpread * rng.normal());
      own.push_back(0);
    }
    return contextual_start(input.pooled, own);
  }

  static std::vector<double> start_number(const MethodInput& input, int experts,
                                          const SpectralStart& spectral, int number, Rng& rng) {
    if (number == 0) return linear_start(input, experts, spectral, rng);
    if (number == 1 && input.problem.num_contexts > 0) return quadratic_start(input, experts, rng);
    return random_start(input, experts, rng);
  }

  // Runs each start for kScreeningEvaluations evaluations and returns the best result.
  std::vector<double> best_start(const MethodInput& input, const GateSetting& setting,
                                 const SpectralStart& spectral) const {
    std::vector<ContextualFit> found(starts_);
    parallel_for(found.size(), input.num_threads, [&](std::size_t i) {
      const auto number = static_cast<int>(i);
      Rng rng(input.seed, number);
      const std::vector<double> start = start_number(input, setting.experts, spectral, number, rng);
      found[i] = fit(input, setting, start, kScreeningEvaluations);
    });
    return std::ranges::min_element(found, {}, &ContextualFit::objective)->theta;
  }

  int starts_;
  std::vector<int> experts_;
};

}  // namespace

std::size_t NetworkMixtureFunction::size() const {
  return gate_.size() + static_cast<std::size_t>(gate_.num_outputs) * num_weights();
}

void NetworkMixtureFunction::propagate(std::span<const double> theta, const MatrixXd& contexts,
                                       const Derivative& derivative,
                                       std::span<double> gradient) const {
  const double* const experts = theta.data() + gate_.size();
  const std::size_t num_experts = gate_.num_outputs;
  const std::size_t weights = num_weights();
  const NetworkPass pass(gate_, theta.first(gate_.size()), contexts);
  const MatrixXd alpha = softmax(pass.outputs());
  const MatrixXd back = derivative(linear_functions(alpha, {weights, experts, 1, weights}));
  add_products(alpha, back, gradient.data() + gate_.size());
  MatrixXd scores = linear_functions(back, {num_experts, experts, weights, 1});
  scores.colwise() -= alpha.cwiseProduct(scores).rowwise().sum().eval();
  pass.add_gradient(alpha.cwiseProduct(scores), gradient.first(gate_.size()));
}

double NetworkMixtureFunction::add_penalty(std::span<const double> theta,
                                           std::span<double> gradient) const {
  const std::size_t intercepts = gate_.output_intercepts();
  const std::size_t outputs = gate_.num_outputs;
  return add_ridge(decay_, theta.first(intercepts), gradient) +
         add_ridge(penalty_.gate_intercept, theta.subspan(intercepts, outputs),
                   gradient.subspan(intercepts)) +
         penalty_.add_experts(gate_.num_outputs, theta.subspan(gate_.size()),
                              gradient.subspan(gate_.size()));
}

StandardisedModel NetworkMixtureFunction::model(std::span<const double> theta) const {
  StandardisedModel model;
  std::vector<double> experts;
  for (int k = 0; k < gate_.num_outputs; ++k) {
    const auto row =
        theta.subspan(gate_.size() + static_cast<std::size_t>(k) * num_weights(), num_weights());
    experts.insert(experts.end(), row.begin(), row.end() - 1);
    model.baseline.expert_intercepts.push_back(row.back());
  }
  model.scorer = std::make_shared<SoftMixture>(
      NetworkGate(to_network(gate_, theta.first(gate_.size()))), num_factors_, std::move(experts));
  return model;
}

std::unique_ptr<ComparisonMethod> make_network_mixture(const FitOptions& options) {
  return std::make_unique<NetworkMixture>(options);
}

}  // namespace otss::internal
