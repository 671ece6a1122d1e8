#include "lab/worlds/score_gate.hpp"
#include "lab/worlds/world.hpp"

namespace otss::internal {
namespace {

constexpr int kContexts = 10, kFactors = 8, kNonzeros = 3;
constexpr std::size_t kLibrary = 50, kTestRows = 4000;
constexpr double kExpertNorm = 2.5, kBaselineNorm = 0.5;

}  // namespace

Simulation simulate_experts(const ExpertsSpec& spec) {
  Rng rng = world_rng(spec.seed, WorldStream::kWorld);
  Simulation s{.num_contexts = kContexts, .num_factors = kFactors, .num_experts = spec.experts};
  std::vector<double> slopes;
  for (int k = 0; k < spec.experts; ++k) {
    const std::vector<double> u = random_sparse_unit(rng, kContexts, kNonzeros);
    slopes.insert(slopes.end(), u.begin(), u.end());
    for (const double entry : random_sparse_unit(rng, kFactors, kNonzeros))
      s.experts.push_back(kExpertNorm * entry);
  }
  ScoreGate gate(kContexts, std::move(slopes));
  s.library = random_library(rng, kLibrary, kFactors);
  World world;
  world.baseline = random_unit(rng, kContexts, kBaselineNorm);
  Rng calibration = world_rng(spec.seed, WorldStream::kCalibration);
  gate.soften_to(spec.top, calibration);

  world.shares = [&](std::span<const double> x, std::span<double> alpha) { gate.shares(x, alpha); };
  draw_rows(s, world, spec.n, kTestRows, spec.seed);
  s.spec = {{"generator", "experts"},
            {"n", spec.n},
            {"experts", spec.experts},
            {"top", spec.top},
            {"seed", spec.seed}};
  return s;
}

}  // namespace otss::internal
