#include "learn/precision_prior.hpp"

#include <algorithm>
#include <cmath>

namespace otss {
namespace {

// The conjugate law after `count` normal entries whose squares sum to `squares`.
double draw_precision(const GammaPrior& prior, int count, double squares, Rng& rng) {
  return rng.gamma(prior.shape + 0.5 * count) / (prior.rate + 0.5 * squares);
}

// sum_k (D_kj - mean_k D_kj)^2, with D_K = 0 for the reference expert.
double gate_squares(const MixtureLayout& layout, std::span<const double> theta, int column) {
  double sum = 0;
  double squares = 0;
  for (int k = 0; k + 1 < layout.num_experts; ++k) {
    const double d = theta[layout.gate(k) + column];
    sum += d;
    squares += d * d;
  }
  return squares - sum * sum / layout.num_experts;
}

}  // namespace

PrecisionPriors PrecisionPriors::standard(const MixtureLayout& layout) {
  return {.gate = {2, 4.5 / std::max(1, layout.num_contexts)},
          .gate_intercept = {1, 0.5},
          .expert = {2, 0.25},
          .center = {1, 0.1},
          .baseline = {1, 0.1}};
}

Penalty PrecisionPriors::draw(const MixtureLayout& layout, std::span<const double> theta, const Penalty& current,
                              Rng& rng) const {
  const int p = layout.num_contexts;
  const int num_factors = layout.num_factors;
  const int k = layout.num_experts;
  double slopes = 0;
  for (int j = 0; j < p; ++j) slopes += gate_squares(layout, theta, j);

  double centers = 0;
  double departures = 0;
  for (int j = 0; j < num_factors; ++j) {
    double sum = 0;
    for (int e = 0; e < k; ++e) sum += theta[layout.expert(e) + j];
    const double precision = k * current.expert + current.center;
    const double drawn = current.expert * sum / precision + rng.normal() / std::sqrt(precision);
    const double center = k == 1 ? sum : drawn;  // one expert is its own centre
    centers += center * center;
    for (int e = 0; e < k; ++e) departures += std::pow(theta[layout.expert(e) + j] - center, 2);
  }
  for (int e = 0; e < k; ++e) departures += std::pow(theta[layout.expert(e) + num_factors], 2);
  double baselines = 0;
  for (int j = 0; j < p; ++j) baselines += std::pow(theta[layout.baseline() + j], 2);

  return {.gate = draw_precision(gate, p * (k - 1), slopes, rng),
          .gate_intercept = draw_precision(gate_intercept, k - 1, gate_squares(layout, theta, p), rng),
          .expert = draw_precision(expert, k == 1 ? 1 : k * (num_factors + 1), departures, rng),
          .center = draw_precision(center, num_factors, centers, rng),
          .baseline = draw_precision(baseline, p, baselines, rng)};
}

double PrecisionPriors::log_density(const MixtureLayout& layout, const Penalty& penalty) const {
  const int k = layout.num_experts;
  const auto prior = [](const GammaPrior& gamma, double precision) {
    return (gamma.shape - 1) * std::log(precision) - gamma.rate * precision;
  };
  const double experts = k == 1 ? std::log(penalty.center)
                                : k * std::log(penalty.expert) + std::log(penalty.center) -
                                      std::log(k * penalty.expert + penalty.center);
  const double normals = (k - 1) * (layout.num_contexts * std::log(penalty.gate) + std::log(penalty.gate_intercept)) +
                         layout.num_factors * experts + k * std::log(penalty.expert) +
                         layout.num_contexts * std::log(penalty.baseline);
  return 0.5 * normals + prior(gate, penalty.gate) + prior(gate_intercept, penalty.gate_intercept) +
         prior(expert, penalty.expert) + prior(center, penalty.center) + prior(baseline, penalty.baseline);
}

}  // namespace otss
