#include "lab/simulation.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace otss {
namespace {

constexpr int kSignal = 5, kNuisance = 5, kFactors = 8;
constexpr std::size_t kLibrary = 20, kTestRows = 3000;

// One stream of random numbers for each part, so that changing one part leaves the others as they were.
enum Stream : std::uint64_t { kWorld, kTrain, kTest };

std::vector<double> random_unit(Rng& rng, int size) {
  std::vector<double> v(size);
  for (double& entry : v) entry = rng.normal();
  const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  for (double& entry : v) entry /= norm;
  return v;
}

// A random unit vector orthogonal to the unit vector `to`.
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

// What both worlds share: everything but the share of the first expert.
struct OverlapWorld {
  double tau = 0;
  double nuisance = 0;
  bool quadratic = false;
  std::vector<double> direction;  // u
  std::vector<double> baseline;   // psi

  double share(const double* x) const {
    double score = 0;
    for (int j = 0; j < kSignal; ++j) score += direction[j] * x[j];
    if (quadratic) score = (score * score - 1) / std::sqrt(2.0);
    return logistic(tau * score);
  }
};

Simulation draw_world(OverlapWorld& world, Rng& rng) {
  Simulation s;
  s.num_contexts = kSignal + kNuisance;
  s.num_factors = kFactors;
  s.num_experts = 2;
  world.direction = random_unit(rng, kSignal);
  const std::vector<double> apart = random_unit(rng, kFactors);
  const std::vector<double> shared = random_orthogonal(rng, apart);
  s.experts.resize(2 * kFactors);
  for (int j = 0; j < kFactors; ++j) {
    s.experts[j] = 1.5 * shared[j] + 1.8 * apart[j];
    s.experts[kFactors + j] = 1.5 * shared[j] - 1.8 * apart[j];
  }
  s.library.resize(kLibrary * kFactors);
  for (double& z : s.library) z = rng.uniform(-1, 1);
  world.baseline.resize(s.num_contexts);
  for (double& psi : world.baseline) psi = 0.3 * rng.normal() / std::sqrt(10.0);
  return s;
}

SimulatedRows draw_rows(const Simulation& s, const OverlapWorld& world, std::size_t num_rows, Rng& rng) {
  const int p = s.num_contexts;
  SimulatedRows rows;
  rows.num_rows = num_rows;
  rows.contexts.resize(num_rows * p);
  rows.shares.resize(num_rows * s.num_experts);
  rows.weights.resize(num_rows * s.num_factors);
  for (std::size_t i = 0; i < num_rows; ++i) {
    double* x = &rows.contexts[i * p];
    for (int j = 0; j < p; ++j) x[j] = rng.normal() * (j < kSignal ? 1 : world.nuisance);
    double* alpha = &rows.shares[i * s.num_experts];
    alpha[0] = s.num_experts == 1 ? 1 : world.share(x);
    if (s.num_experts == 2) alpha[1] = 1 - alpha[0];
    double* w = &rows.weights[i * s.num_factors];
    for (int k = 0; k < s.num_experts; ++k) {
      for (int j = 0; j < s.num_factors; ++j) w[j] += alpha[k] * s.experts[k * s.num_factors + j];
    }
    const std::size_t decision = rng.below(s.library_size());
    double eta = 0;
    for (int j = 0; j < p; ++j) eta += world.baseline[j] * x[j];
    for (int j = 0; j < s.num_factors; ++j) eta += w[j] * s.library[decision * s.num_factors + j];
    rows.decisions.push_back(decision);
    rows.propensities.push_back(1.0 / static_cast<double>(s.library_size()));
    rows.outcomes.push_back(rng.uniform() < logistic(eta) ? 1 : 0);
  }
  return rows;
}

void draw_all_rows(Simulation& s, const OverlapWorld& world, int n, std::uint64_t seed) {
  Rng train(seed, kTrain);
  Rng test(seed, kTest);
  s.train = draw_rows(s, world, n, train);
  s.test = draw_rows(s, world, kTestRows, test);
}

}  // namespace

std::vector<std::string> Simulation::context_names() const { return numbered("x", num_contexts); }
std::vector<std::string> Simulation::factor_names() const { return numbered("z", num_factors); }

Simulation simulate_overlap(const OverlapSpec& spec) {
  Rng rng(spec.seed, kWorld);
  OverlapWorld world{spec.tau, spec.nuisance, spec.score == "quadratic", {}, {}};
  Simulation s = draw_world(world, rng);
  draw_all_rows(s, world, spec.n, spec.seed);
  s.spec = {{"generator", "overlap"}, {"n", spec.n},         {"tau", spec.tau},
            {"nuisance", spec.nuisance}, {"score", spec.score}, {"seed", spec.seed}};
  return s;
}

Simulation simulate_pooled(const PooledSpec& spec) {
  Rng rng(spec.seed, kWorld);
  OverlapWorld world{0, 1, false, {}, {}};
  Simulation s = draw_world(world, rng);
  for (int j = 0; j < kFactors; ++j) s.experts[j] = (s.experts[j] + s.experts[kFactors + j]) / 2;
  s.experts.resize(kFactors);
  s.num_experts = 1;
  draw_all_rows(s, world, spec.n, spec.seed);
  s.spec = {{"generator", "pooled"}, {"n", spec.n}, {"seed", spec.seed}};
  return s;
}

}  // namespace otss
