#include "lab/theory/dimension_rates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "lab/theory/shipped_fit.hpp"
#include "lab/theory/soft_likelihood.hpp"

namespace otss::internal {
namespace {

constexpr std::uint64_t kDimensionsSeed = 1;  // the truth is the same for all seeds of a study
constexpr int kDimensionContexts = 1000;      // contexts in which weight errors are measured
constexpr double kTrueGateNorm = 1.5, kTrueExpertNorm = 1.5;

// The true parameters, and rows that are drawn from them.
struct DimensionWorld {
  RateDimensions dimensions;
  std::vector<double> truth;  // MixtureLayout

  MixtureLayout layout() const {
    return {dimensions.contexts, dimensions.factors, dimensions.experts};
  }
  std::vector<double> shares(std::span<const double> x) const;
  std::vector<double> weights(std::span<const double> x, std::span<const double> theta) const;
};

void add_random(Rng& rng, double norm, std::span<double> entries) {
  double squares = 0;
  for (double& entry : entries) {
    entry = rng.normal();
    squares += entry * entry;
  }
  for (double& entry : entries) entry *= norm / std::sqrt(squares);
}

DimensionWorld dimension_world(const RateDimensions& dimensions) {
  DimensionWorld world{dimensions, {}};
  const MixtureLayout layout = world.layout();
  world.truth.assign(layout.size(), 0.0);
  Rng rng(kDimensionsSeed);
  const auto theta = std::span(world.truth);
  for (int k = 0; k + 1 < dimensions.experts; ++k)
    add_random(rng, kTrueGateNorm, theta.subspan(layout.gate(k), dimensions.contexts));
  for (int k = 0; k < dimensions.experts; ++k)
    add_random(rng, kTrueExpertNorm, theta.subspan(layout.expert(k), dimensions.factors));
  return world;
}

std::vector<double> gate_shares_of(const MixtureLayout& layout, std::span<const double> theta,
                                   std::span<const double> x) {
  std::vector<double> shares(layout.num_experts, 0.0);
  for (int k = 0; k + 1 < layout.num_experts; ++k) {
    const auto gate = theta.subspan(layout.gate(k), layout.num_contexts + 1);
    shares[k] = std::inner_product(x.begin(), x.end(), gate.begin(), gate.back());
  }
  const double largest = std::ranges::max(shares);
  for (double& share : shares) share = std::exp(share - largest);
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= total;
  return shares;
}

std::vector<double> DimensionWorld::shares(std::span<const double> x) const {
  return gate_shares_of(layout(), truth, x);
}

std::vector<double> DimensionWorld::weights(std::span<const double> x,
                                            std::span<const double> theta) const {
  const std::vector<double> alpha = gate_shares_of(layout(), theta, x);
  std::vector<double> w(dimensions.factors, 0.0);
  for (int k = 0; k < dimensions.experts; ++k) {
    for (int j = 0; j < dimensions.factors; ++j) w[j] += alpha[k] * theta[layout().expert(k) + j];
  }
  return w;
}

struct DimensionLog {
  std::vector<double> contexts, factors;  // rows × p, rows × J
  std::vector<float> outcomes;
};

DimensionLog draw_dimension_log(const DimensionWorld& world, std::uint64_t seed, int log2_n) {
  const std::size_t n = std::size_t{1} << log2_n;
  const auto p = static_cast<std::size_t>(world.dimensions.contexts);
  const auto num_factors = static_cast<std::size_t>(world.dimensions.factors);
  DimensionLog log{std::vector<double>(n * p), std::vector<double>(n * num_factors), {}};
  Rng rng(seed, static_cast<std::uint64_t>(log2_n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = std::span(log.contexts).subspan(i * p, p);
    const auto z = std::span(log.factors).subspan(i * num_factors, num_factors);
    for (double& entry : x) entry = rng.normal();
    for (double& entry : z) entry = rng.uniform(-1, 1);
    const std::vector<double> w = world.weights(x, world.truth);
    const double score = std::inner_product(w.begin(), w.end(), z.begin(), 0.0);
    log.outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-score)) ? 1.0F : 0.0F);
  }
  return log;
}

using ContextMap = std::function<std::vector<double>(std::span<const double> x)>;

double dimension_error(const DimensionWorld& world, const ContextMap& map) {
  Rng rng(kDimensionsSeed, 1);
  double sum = 0;
  std::vector<double> x(world.dimensions.contexts);
  for (int i = 0; i < kDimensionContexts; ++i) {
    for (double& entry : x) entry = rng.normal();
    const std::vector<double> truth = world.weights(x, world.truth);
    const std::vector<double> w = map(x);
    for (std::size_t j = 0; j < w.size(); ++j) sum += (w[j] - truth[j]) * (w[j] - truth[j]);
  }
  return sum / kDimensionContexts;
}

// The features of the oracle gate are the products of the true shares and the factors.
RateError dimension_oracle(const DimensionWorld& world, const DimensionLog& log) {
  const int num_factors = world.dimensions.factors;
  const int p = world.dimensions.contexts;
  auto features =
      std::make_shared<TileMatrix>(log.outcomes.size(), world.dimensions.experts * num_factors);
  for (std::size_t i = 0; i < log.outcomes.size(); ++i) {
    const std::vector<double> alpha = world.shares(std::span(log.contexts).subspan(i * p, p));
    for (int e = 0; e < features->num_columns(); ++e) {
      features->at(i, e) = static_cast<float>(alpha[e / num_factors] *
                                              log.factors[i * num_factors + e % num_factors]);
    }
  }
  const Problem problem{features, 0, SignedWeights(log.outcomes)};
  const MixtureLayout one = problem.layout(1);
  const std::vector<double> fitted =
      maximise_likelihood(problem, 1, std::vector<double>(one.size(), 0.0)).x;
  std::vector<double> theta = world.truth;
  for (int e = 0; e < features->num_columns(); ++e)
    theta[world.layout().expert(e / num_factors) + e % num_factors] = fitted[one.expert(0) + e];
  return {.weights = dimension_error(world, [&](auto x) { return world.weights(x, theta); })};
}

RateError dimension_joint(const DimensionWorld& world, const DimensionLog& log,
                          std::uint64_t seed) {
  const int num_factors = world.dimensions.factors;
  const int p = world.dimensions.contexts;
  auto features = std::make_shared<TileMatrix>(log.outcomes.size(), p + num_factors);
  for (std::size_t i = 0; i < log.outcomes.size(); ++i) {
    for (int j = 0; j < p; ++j) features->at(i, j) = static_cast<float>(log.contexts[i * p + j]);
    for (int j = 0; j < num_factors; ++j)
      features->at(i, p + j) = static_cast<float>(log.factors[i * num_factors + j]);
  }
  const Problem problem{features, p, SignedWeights(log.outcomes)};
  const std::vector<double> theta = most_likely_mixture(problem, world.dimensions.experts, seed);
  return {.weights = dimension_error(world, [&](auto x) { return world.weights(x, theta); }),
          .parameters = aligned_parameter_error(world.layout(), theta, world.truth)};
}

}  // namespace

DimensionRates dimension_rates(std::uint64_t seed, int log2_n, const RateDimensions& dimensions) {
  const DimensionWorld world = dimension_world(dimensions);
  const DimensionLog log = draw_dimension_log(world, seed, log2_n);
  const Fitted fitted = fit_shipped(log.contexts, log.factors, log.outcomes);
  return {.oracle_gate = dimension_oracle(world, log),
          .joint = dimension_joint(world, log, seed),
          .shipped = {.weights = dimension_error(
                          world, [&](auto x) { return shipped_weights(fitted, x); })}};
}

}  // namespace otss::internal
