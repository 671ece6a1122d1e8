#include "lab/theory/soft_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"

namespace otss::internal {
namespace {

constexpr Penalty kOneRow{
    .gate = 1, .gate_intercept = 1, .expert = 0.1, .center = 0.1, .baseline = 1e-6};

// The largest number of evaluations of the objective in one fit. The method "joint, gate in x"
// needs many, because its objective is nearly flat along one direction (rates.hpp). The other
// methods need about 50.
constexpr int kMaxEvaluations = 300;

constexpr int kRandomStarts = 4;
constexpr double kStartSpread =
    0.5;  // standard deviation of a start's weights around the pooled fit

// Returns the parameters of a mixture whose experts are the pooled model plus random numbers.
std::vector<double> random_start(const MixtureLayout& layout, const MixtureLayout& one,
                                 std::span<const double> pooled, Rng& rng) {
  std::vector<double> start(layout.size(), 0.0);
  const double slope = 1 / std::sqrt(static_cast<double>(layout.num_contexts));
  for (std::size_t i = 0; i < layout.baseline(); ++i) start[i] = slope * rng.normal();
  std::copy_n(pooled.begin() + static_cast<std::ptrdiff_t>(one.baseline()), layout.num_contexts + 1,
              start.begin() + static_cast<std::ptrdiff_t>(layout.baseline()));
  for (int k = 0; k < layout.num_experts; ++k) {
    for (int j = 0; j < layout.num_factors; ++j)
      start[layout.expert(k) + j] = pooled[one.expert(0) + j] + kStartSpread * rng.normal();
  }
  return start;
}

// The gate score of expert k, counted from 0, at position i of its parameters. That of the last
// expert is 0.
double gate_at(const MixtureLayout& layout, std::span<const double> theta, int k, int i) {
  return k + 1 < layout.num_experts ? theta[layout.gate(k) + i] : 0;
}

double distance_in_order(const MixtureLayout& layout, std::span<const double> estimate,
                         std::span<const double> truth, const std::vector<int>& order) {
  double sum = 0;
  const auto add = [&](double difference) { sum += difference * difference; };
  for (int k = 0; k < layout.num_experts; ++k) {
    for (int j = 0; j < layout.num_factors; ++j)
      add(estimate[layout.expert(order[k]) + j] - truth[layout.expert(k) + j]);
    for (int i = 0; i <= layout.num_contexts; ++i) {
      add(gate_at(layout, estimate, order[k], i) - gate_at(layout, estimate, order.back(), i) -
          gate_at(layout, truth, k, i));
    }
  }
  return sum;
}

}  // namespace

// `fit_mixture` is not used here, because it may stop a large fit when less than one nat can be
// gained. Such an early stop hardly changes a decision, but it would change the measured error by a
// tenth.
Minimum maximise_likelihood(const Problem& problem, int num_experts, std::span<const double> start,
                            const Penalty& penalty) {
  const auto engine = make_engine(problem, num_experts, 1);
  MixtureObjective objective(*engine, penalty, Precision::kDouble);
  return minimize(objective, start,
                  {.memory = 60,
                   .max_evaluations = kMaxEvaluations,
                   .gradient_tolerance = 1e-10,
                   .value_tolerance = 1e-12});
}

std::vector<double> most_likely_mixture(const Problem& problem, int num_experts,
                                        std::uint64_t seed) {
  const MixtureLayout one = problem.layout(1);
  const std::vector<double> pooled =
      maximise_likelihood(problem, 1, std::vector<double>(one.size(), 0.0)).x;
  Rng rng(seed, static_cast<std::uint64_t>(num_experts));
  Minimum best;
  best.value = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRandomStarts; ++i) {
    const std::vector<double> start = random_start(problem.layout(num_experts), one, pooled, rng);
    Minimum found = maximise_likelihood(problem, num_experts, start, kOneRow);
    if (found.value < best.value) best = std::move(found);
  }
  return best.x;
}

double aligned_parameter_error(const MixtureLayout& layout, std::span<const double> estimate,
                               std::span<const double> truth) {
  std::vector<int> order(layout.num_experts);
  std::iota(order.begin(), order.end(), 0);
  double least = std::numeric_limits<double>::infinity();
  do {
    least = std::min(least, distance_in_order(layout, estimate, truth, order));
  } while (std::ranges::next_permutation(order).found);
  return least;
}

}  // namespace otss::internal
