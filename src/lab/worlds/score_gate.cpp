#include "lab/worlds/score_gate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr int kFeatures = 64;
constexpr int kCalibrationContexts = 10'000;

void softmax(std::span<const double> scores, double temperature, std::span<double> alpha) {
  const double largest = *std::ranges::max_element(scores);
  double total = 0;
  for (std::size_t k = 0; k < scores.size(); ++k)
    total += alpha[k] = std::exp((scores[k] - largest) / temperature);
  for (double& share : alpha) share /= total;
}

}  // namespace

ScoreGate::ScoreGate(int num_contexts, std::vector<double> slopes)
    : num_contexts_(num_contexts),
      num_experts_(static_cast<int>(slopes.size()) / num_contexts),
      slopes_(std::move(slopes)) {}

void ScoreGate::bend(double bend, Rng& rng) {
  const double frequency = std::sqrt(4.0 / num_contexts_);
  const double amplitude = bend * std::sqrt(2.0 / kFeatures);
  for (int i = 0; i < kFeatures * num_contexts_; ++i)
    frequencies_.push_back(frequency * rng.normal());
  for (int f = 0; f < kFeatures; ++f) phases_.push_back(rng.uniform(0, 2 * std::numbers::pi));
  for (int i = 0; i < kFeatures * num_experts_; ++i)
    amplitudes_.push_back(amplitude * rng.normal());
}

std::vector<double> ScoreGate::scores(std::span<const double> x) const {
  std::vector<double> result(num_experts_);
  for (int k = 0; k < num_experts_; ++k) {
    result[k] = std::inner_product(x.begin(), x.end(), slopes_.begin() + k * num_contexts_, 0.0);
  }
  for (std::size_t f = 0; f < phases_.size(); ++f) {
    const auto omega = frequencies_.begin() + static_cast<std::ptrdiff_t>(f) * num_contexts_;
    const double wave = std::cos(std::inner_product(x.begin(), x.end(), omega, phases_[f]));
    for (int k = 0; k < num_experts_; ++k) result[k] += amplitudes_[f * num_experts_ + k] * wave;
  }
  return result;
}

void ScoreGate::shares(std::span<const double> x, std::span<double> alpha) const {
  softmax(scores(x), temperature_, alpha);
}

void ScoreGate::largest_alone(std::span<const double> x, std::span<double> alpha) const {
  const std::vector<double> s = scores(x);
  std::ranges::fill(alpha, 0.0);
  alpha[std::ranges::max_element(s) - s.begin()] = 1;
}

void ScoreGate::soften_to(double top, Rng& rng) {
  if (top <= 1.0 / num_experts_ || top >= 1) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--top {}: with {} experts, use a number between {} and 1", top,
                            num_experts_, 1.0 / num_experts_));
  }
  std::vector<std::vector<double>> sample;
  std::vector<double> x(num_contexts_);
  for (int i = 0; i < kCalibrationContexts; ++i) {
    for (double& entry : x) entry = rng.normal();
    sample.push_back(scores(x));
  }
  std::vector<double> alpha(num_experts_);
  const auto mean_top = [&](double temperature) {
    double sum = 0;
    for (const auto& s : sample) {
      softmax(s, temperature, alpha);
      sum += *std::ranges::max_element(alpha);
    }
    return sum / kCalibrationContexts;
  };
  // The mean largest share falls from 1 to 1/K as the temperature T rises. After 40 bisection
  // steps, the error of log T is at most 2e-11.
  double cold = std::log(1e-4);
  double hot = std::log(1e4);
  for (int i = 0; i < 40; ++i) {
    const double middle = (cold + hot) / 2;
    (mean_top(std::exp(middle)) > top ? cold : hot) = middle;
  }
  temperature_ = std::exp((cold + hot) / 2);
}

}  // namespace otss::internal
