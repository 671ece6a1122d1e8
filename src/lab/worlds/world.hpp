// What every simulated world is made of: a law of contexts, a true gate and a baseline. The rest
// (library, logging policy, outcomes) is the same for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "lab/worlds/simulation.hpp"

namespace otss {

// One stream of random numbers for each part, so that changing one part leaves the others as they
// were: the same seed with another n is the same world.
enum class WorldStream : std::uint64_t { kWorld, kTrain, kTest, kCalibration };
Rng world_rng(std::uint64_t seed, WorldStream stream);

void draw_standard_normal(Rng& rng, std::span<double> x);

struct World {
  std::vector<double> baseline;  // b*(x) = baseline'x
  std::function<void(Rng& rng, std::span<double> x)> draw_context = draw_standard_normal;
  std::function<void(std::span<const double> x, std::span<double> alpha)> shares;
};

// The world of simulate_overlap before any row is drawn, for logs made by other policies.
Simulation overlap_world(const OverlapSpec& spec, World& world);

// A direction drawn uniformly, as a vector of that norm.
std::vector<double> random_unit(Rng& rng, int size, double norm = 1);

// A unit vector whose only nonzero entries, normal before scaling, stand at random places.
std::vector<double> random_sparse_unit(Rng& rng, int size, int nonzeros);

// `size` decisions d1, d2, … with factors uniform on [-1, 1].
FeasibleSet random_library(Rng& rng, std::size_t size, int num_factors);

// What the logging policy chose, and with which probability.
struct LoggedDecision {
  std::size_t decision;
  double propensity;
};

// Logs a decision in the next row of `rows`, whose context and shares, and place for weights, are
// there: sets the true weights and draws the outcome. `baseline` is b*(x).
void log_decision(const Simulation& simulation, const LoggedDecision& logged, double baseline,
                  SimulatedRows& rows, Rng& rng);

// Draws simulation.train and simulation.test: decisions logged uniformly, outcomes from the true
// weights.
void draw_rows(Simulation& simulation, const World& world, std::size_t train_rows,
               std::size_t test_rows, std::uint64_t seed);

}  // namespace otss
