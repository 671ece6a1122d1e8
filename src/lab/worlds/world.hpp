// Defines what differs between simulated worlds: the distribution of contexts, the true gate and the
// baseline. Logged decisions and outcomes are drawn in the same way in all worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "lab/worlds/simulation.hpp"

namespace otss::internal {

// Each stage of a simulation has its own stream of random numbers, so that a change in one stage
// does not change the other stages: the same seed with another n gives the same world.
enum class WorldStream : std::uint64_t {
  kWorld,
  kTrain,
  kTest,
  kCalibration,
  kKnownUnits,
  kNewUnits,
  kHistories,
  kSpecification
};
Rng world_rng(std::uint64_t seed, WorldStream stream);

// Fills x with independent standard normal numbers.
void draw_standard_normal(Rng& rng, std::span<double> x);

struct World {
  std::vector<double> baseline;  // b*(x) = baseline'x
  // Draws a context x.
  std::function<void(Rng& rng, std::span<double> x)> draw_context = draw_standard_normal;
  // Computes the true shares alpha of the context x.
  std::function<void(std::span<const double> x, std::span<double> alpha)> shares;
  // Adds to w the part of the true weights that is no mixture of the experts. If the function is
  // empty, there is no such part.
  std::function<void(std::span<const double> x, std::span<double> w)> add_weights = {};
  // Computes a score for every decision of the library. The logging policy chooses a decision with
  // a probability proportional to exp(score). If the function is empty, all decisions have the same
  // probability.
  std::function<void(std::span<const double> x, std::span<double> scores)> logging_scores = {};
};

// Draws the world of simulate_overlap(). Returns a simulation without rows, and stores the
// contexts' distribution, the true gate and the baseline in `world`. A caller can then draw a log
// with a logging policy of its own.
Simulation overlap_world(const OverlapSpec& spec, World& world);

// Returns a vector of the given norm in a direction drawn uniformly.
std::vector<double> random_unit(Rng& rng, int size, double norm = 1);

// Returns a unit vector with `nonzeros` nonzero entries, at random positions; the entries are
// standard normal before the vector is scaled.
std::vector<double> random_sparse_unit(Rng& rng, int size, int nonzeros);

// Returns a library of `size` decisions d1, d2, … with factors uniform on [-1, 1].
FeasibleSet random_library(Rng& rng, std::size_t size, int num_factors);

// The decision that the logging policy chose, and the probability of this choice.
struct LoggedDecision {
  std::size_t decision;
  double propensity;
};

// Draws a decision. The probability of decision d is proportional to exp(scores[d]).
LoggedDecision draw_by_scores(std::span<const double> scores, Rng& rng);

// Appends a decision and its propensity to `rows`, adds the experts' mixture to the true weights of
// the new row and draws its outcome. Precondition: the context and shares of the new row are set,
// and rows.weights has its final size. The weights of the new row are the part of the true weights
// that is no mixture: zero, World::add_weights, or the deviation of the row's unit. `baseline` is the true baseline of the row.
void log_decision(const Simulation& simulation, const LoggedDecision& logged, double baseline,
                  SimulatedRows& rows, Rng& rng);

// Draws simulation.train and simulation.test. The logging policy chooses from the library; outcomes
// are drawn with the true weights.
void draw_rows(Simulation& simulation, const World& world, std::size_t train_rows,
               std::size_t test_rows, std::uint64_t seed);

}  // namespace otss::internal
