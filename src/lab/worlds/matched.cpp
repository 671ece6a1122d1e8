#include <cmath>
#include <numeric>

#include "lab/worlds/score_gate.hpp"
#include "lab/worlds/world.hpp"

namespace otss::internal {
namespace {

constexpr int kMatchedContexts = 20, kMatchedFactors = 8;
constexpr std::size_t kMatchedLibrary = 50, kMatchedTestRows = 4000;
constexpr double kTop = 0.55;  // mean over contexts of the largest share, if the truth is soft
constexpr double kMatchedBaseline = 0.5;

void subtract_mean_expert(std::vector<double>& experts, int num_experts) {
  for (int j = 0; j < kMatchedFactors; ++j) {
    double mean = 0;
    for (int k = 0; k < num_experts; ++k) mean += experts[k * kMatchedFactors + j] / num_experts;
    for (int k = 0; k < num_experts; ++k) experts[k * kMatchedFactors + j] -= mean;
  }
}

// Draws the experts. Each expert is the sum of a common trade-off of norm 0.4 and a deviation of
// its own. Deviations have norm 1.5 before their mean is subtracted.
std::vector<double> draw_experts(int num_experts, Rng& rng) {
  std::vector<double> experts(static_cast<std::size_t>(num_experts) * kMatchedFactors);
  for (double& entry : experts) entry = rng.normal();
  subtract_mean_expert(experts, num_experts);
  for (int k = 0; k < num_experts; ++k) {
    const auto expert = experts.begin() + k * kMatchedFactors;
    const double norm =
        std::sqrt(std::inner_product(expert, expert + kMatchedFactors, expert, 0.0));
    for (int j = 0; j < kMatchedFactors; ++j) expert[j] *= 1.5 / norm;
  }
  subtract_mean_expert(experts, num_experts);
  const std::vector<double> common = random_unit(rng, kMatchedFactors);
  for (std::size_t i = 0; i < experts.size(); ++i) experts[i] += 0.4 * common[i % kMatchedFactors];
  return experts;
}

}  // namespace

Simulation simulate_matched(const MatchedSpec& spec) {
  Rng rng = world_rng(spec.seed, WorldStream::kWorld);
  Simulation s{.num_contexts = kMatchedContexts,
               .num_factors = kMatchedFactors,
               .num_experts = spec.experts};
  std::vector<double> slopes;
  for (int k = 0; k < spec.experts; ++k) {
    const std::vector<double> u = random_unit(rng, kMatchedContexts);
    slopes.insert(slopes.end(), u.begin(), u.end());
  }
  ScoreGate gate(kMatchedContexts, std::move(slopes));
  s.experts = draw_experts(spec.experts, rng);
  s.library = random_library(rng, kMatchedLibrary, kMatchedFactors);
  World world;
  world.baseline = random_unit(rng, kMatchedContexts, kMatchedBaseline);
  gate.bend(spec.rand, rng);
  Rng calibration = world_rng(spec.seed, WorldStream::kCalibration);
  gate.soften_to(kTop, calibration);

  const bool hard = spec.truth == TruthForm::kHard;
  world.shares = [&](std::span<const double> x, std::span<double> alpha) {
    hard ? gate.largest_alone(x, alpha) : gate.shares(x, alpha);
  };
  draw_rows(s, world, spec.n, kMatchedTestRows, spec.seed);
  s.spec = {{"generator", "matched"},    {"n", spec.n},
            {"truth", word(spec.truth)}, {"rand", spec.rand},
            {"experts", spec.experts},   {"seed", spec.seed}};
  return s;
}

}  // namespace otss::internal
