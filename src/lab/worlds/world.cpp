#include "lab/worlds/world.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace otss::internal {
namespace {

void scale_to_unit(std::vector<double>& v) {
  const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  for (double& entry : v) entry /= norm;
}

LoggedDecision choose(const Simulation& s, const World& world, std::span<const double> x,
                      Rng& rng) {
  const std::size_t size = s.library.size();
  if (!world.logging_scores) return {rng.below(size), 1.0 / static_cast<double>(size)};
  std::vector<double> scores(size);
  world.logging_scores(x, scores);
  return draw_by_scores(scores, rng);
}

SimulatedRows draw(const Simulation& s, const World& world, std::size_t num_rows, Rng& rng) {
  const int p = s.num_contexts;
  SimulatedRows rows;
  rows.num_rows = num_rows;
  rows.contexts.resize(num_rows * p);
  rows.shares.resize(num_rows * s.num_experts);
  rows.weights.resize(num_rows * s.num_factors);
  for (std::size_t i = 0; i < num_rows; ++i) {
    const std::span<double> x(&rows.contexts[i * p], p);
    const std::span<double> alpha(&rows.shares[i * s.num_experts], s.num_experts);
    world.draw_context(rng, x);
    world.shares(x, alpha);
    if (world.add_weights)
      world.add_weights(x, std::span(&rows.weights[i * s.num_factors], s.num_factors));
    const double baseline = std::inner_product(x.begin(), x.end(), world.baseline.begin(), 0.0);
    log_decision(s, choose(s, world, x, rng), baseline, rows, rng);
  }
  return rows;
}

}  // namespace

Rng world_rng(std::uint64_t seed, WorldStream stream) {
  return Rng(seed, static_cast<std::uint64_t>(stream));
}

void draw_standard_normal(Rng& rng, std::span<double> x) {
  for (double& entry : x) entry = rng.normal();
}

std::vector<double> random_unit(Rng& rng, int size, double norm) {
  std::vector<double> v(size);
  draw_standard_normal(rng, v);
  scale_to_unit(v);
  for (double& entry : v) entry *= norm;
  return v;
}

std::vector<double> random_sparse_unit(Rng& rng, int size, int nonzeros) {
  std::vector<int> places(size);
  std::iota(places.begin(), places.end(), 0);
  rng.shuffle(std::span(places));
  std::vector<double> v(size, 0.0);
  for (int i = 0; i < std::min(nonzeros, size); ++i) v[places[i]] = rng.normal();
  scale_to_unit(v);
  return v;
}

FeasibleSet random_library(Rng& rng, std::size_t size, int num_factors) {
  std::vector<double> factors(size * num_factors);
  for (double& z : factors) z = rng.uniform(-1, 1);
  std::vector<std::string> ids;
  for (std::size_t d = 1; d <= size; ++d) ids.push_back(fmt::format("d{}", d));
  return FeasibleSet::of_library(std::move(ids), num_factors, std::move(factors));
}

LoggedDecision draw_by_scores(std::span<const double> scores, Rng& rng) {
  std::vector<double> cumulated;
  double total = 0;
  for (const double score : scores) cumulated.push_back(total += std::exp(score));
  const auto found = std::ranges::upper_bound(cumulated, rng.uniform() * total);
  const std::size_t d = std::min<std::size_t>(found - cumulated.begin(), cumulated.size() - 1);
  return {d, (cumulated[d] - (d == 0 ? 0 : cumulated[d - 1])) / total};
}

void log_decision(const Simulation& s, const LoggedDecision& logged, double baseline,
                  SimulatedRows& rows, Rng& rng) {
  const std::size_t row = rows.decisions.size();
  const std::span<double> w(&rows.weights[row * s.num_factors], s.num_factors);
  for (int k = 0; k < s.num_experts; ++k) {
    const double share = rows.shares[row * s.num_experts + k];
    for (int j = 0; j < s.num_factors; ++j) w[j] += share * s.experts[k * s.num_factors + j];
  }
  rows.decisions.push_back(logged.decision);
  rows.propensities.push_back(logged.propensity);
  const std::span<const double> z = s.logged_factors(rows, row);
  const double eta = std::inner_product(w.begin(), w.end(), z.begin(), baseline);
  rows.outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0);
}

void draw_rows(Simulation& simulation, const World& world, std::size_t train_rows,
               std::size_t test_rows, std::uint64_t seed) {
  Rng train = world_rng(seed, WorldStream::kTrain);
  Rng test = world_rng(seed, WorldStream::kTest);
  simulation.train = draw(simulation, world, train_rows, train);
  simulation.test = draw(simulation, world, test_rows, test);
}

}  // namespace otss::internal
