#include "lab/worlds/simulation.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "lab/worlds/world.hpp"

namespace otss::internal {
namespace {

constexpr int kSignal = 5, kBaselineColumns = 10, kSimulatedFactors = 8;
constexpr std::size_t kSimulatedLibrary = 20, kSimulatedTestRows = 3000;

// Returns a random unit vector orthogonal to the unit vector `to`.
std::vector<double> random_orthogonal(Rng& rng, const std::vector<double>& to) {
  std::vector<double> v = random_unit(rng, static_cast<int>(to.size()));
  const double along = std::inner_product(v.begin(), v.end(), to.begin(), 0.0);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] -= along * to[j];
  const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  for (double& entry : v) entry /= norm;
  return v;
}

double logistic(double t) { return 1 / (1 + std::exp(-t)); }

std::vector<std::string> numbered(const char* prefix, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

void draw_columns(const IrrelevantColumns& columns, Rng& rng, std::span<double> x) {
  for (int j = 0; j < kSignal; ++j) x[j] = rng.normal();
  const double own = std::sqrt(1 - columns.correlation * columns.correlation);
  for (std::size_t j = kSignal; j < x.size(); ++j) {
    const double value = columns.correlation * x[j % kSignal] + own * rng.normal();
    x[j] = columns.scale *
           (columns.log_deviation > 0 ? std::exp(columns.log_deviation * value) : value);
  }
}

// Draws what the overlap world and the pooled world have in common: everything except the true gate.
Simulation draw_world(World& world, std::vector<double>& direction,
                      const IrrelevantColumns& columns, Rng& rng) {
  Simulation s;
  s.num_contexts = kSignal + columns.count;
  s.num_factors = kSimulatedFactors;
  s.num_experts = 2;
  direction = random_unit(rng, kSignal);
  const std::vector<double> apart = random_unit(rng, kSimulatedFactors);
  const std::vector<double> shared = random_orthogonal(rng, apart);
  s.experts.resize(2 * kSimulatedFactors);
  for (int j = 0; j < kSimulatedFactors; ++j) {
    s.experts[j] = 1.5 * shared[j] + 1.8 * apart[j];
    s.experts[kSimulatedFactors + j] = 1.5 * shared[j] - 1.8 * apart[j];
  }
  s.library = random_library(rng, kSimulatedLibrary, kSimulatedFactors);
  world.baseline.resize(kBaselineColumns);
  for (double& psi : world.baseline) psi = 0.3 * rng.normal() / std::sqrt(10.0);
  world.baseline.resize(s.num_contexts, 0.0);
  world.draw_context = [columns](Rng& draws, std::span<double> x) {
    draw_columns(columns, draws, x);
  };
  return s;
}

Simulation irrelevant_world(const OverlapSpec& spec, const IrrelevantColumns& columns,
                            World& world) {
  Rng rng = world_rng(spec.seed, WorldStream::kWorld);
  std::vector<double> direction;
  Simulation s = draw_world(world, direction, columns, rng);
  world.shares = [spec, direction](std::span<const double> x, std::span<double> alpha) {
    double score = std::inner_product(direction.begin(), direction.end(), x.begin(), 0.0);
    if (spec.score == ScoreForm::kQuadratic) score = (score * score - 1) / std::sqrt(2.0);
    alpha[0] = logistic(spec.tau * score);
    alpha[1] = 1 - alpha[0];
  };
  return s;
}

}  // namespace

FeasibleSet decisions_by_row(std::size_t num_rows, int num_factors, std::vector<double> factors) {
  const std::size_t per_row = factors.size() / (num_rows * num_factors);
  std::vector<std::string> contexts;
  contexts.reserve(num_rows * per_row);
  for (std::size_t row = 1; row <= num_rows; ++row)
    contexts.insert(contexts.end(), per_row, fmt::format("{}", row));
  return FeasibleSet::of_candidates(contexts, {}, num_factors, std::move(factors));
}

const FeasibleSet& Simulation::decisions(const SimulatedRows& rows) const {
  return rows.own_decisions.size() > 0 ? rows.own_decisions : library;
}

std::span<const double> Simulation::logged_factors(const SimulatedRows& rows,
                                                   std::size_t row) const {
  return decisions(rows).at(row).factors(rows.decisions[row]);
}

std::vector<std::string> Simulation::context_names() const {
  return own_context_names.empty() ? numbered("x", num_contexts) : own_context_names;
}
std::vector<std::string> Simulation::factor_names() const {
  return own_factor_names.empty() ? numbered("z", num_factors) : own_factor_names;
}

Simulation overlap_world(const OverlapSpec& spec, World& world) {
  return irrelevant_world(spec, {.scale = spec.nuisance}, world);
}

Simulation simulate_overlap(const OverlapSpec& spec) {
  World world;
  Simulation s = overlap_world(spec, world);
  draw_rows(s, world, spec.n, kSimulatedTestRows, spec.seed);
  s.spec = {{"generator", "overlap"},    {"n", spec.n},
            {"tau", spec.tau},           {"nuisance", spec.nuisance},
            {"score", word(spec.score)}, {"seed", spec.seed}};
  return s;
}

Simulation simulate_irrelevant(const OverlapSpec& spec, const IrrelevantColumns& columns) {
  World world;
  Simulation s = irrelevant_world(spec, columns, world);
  draw_rows(s, world, spec.n, kSimulatedTestRows, spec.seed);
  s.spec = {{"generator", "irrelevant"},       {"n", spec.n},
            {"columns", columns.count},        {"correlation", columns.correlation},
            {"log_sd", columns.log_deviation}, {"seed", spec.seed}};
  return s;
}

Simulation simulate_pooled(const PooledSpec& spec) {
  Rng rng = world_rng(spec.seed, WorldStream::kWorld);
  World world;
  std::vector<double> direction;
  Simulation s = draw_world(world, direction, {.scale = 1}, rng);
  for (int j = 0; j < kSimulatedFactors; ++j)
    s.experts[j] = (s.experts[j] + s.experts[kSimulatedFactors + j]) / 2;
  s.experts.resize(kSimulatedFactors);
  s.num_experts = 1;
  world.shares = [](std::span<const double>, std::span<double> alpha) { alpha[0] = 1; };
  draw_rows(s, world, spec.n, kSimulatedTestRows, spec.seed);
  s.spec = {{"generator", "pooled"}, {"n", spec.n}, {"seed", spec.seed}};
  return s;
}

}  // namespace otss::internal
