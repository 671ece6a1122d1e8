// Draws worlds at random: their sizes, their noise, the form of their truth and the logging policy.
// A conclusion that holds in the paper's panels can thus be tested in many other worlds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lab/worlds/simulation.hpp"
#include "otss/base/options.hpp"

namespace otss::internal {

// The form of the true weights w*(x). Only the first form is a mixture behind a linear gate.
enum class WorldTruth {
  kMixture,        // shares are the softmax of linear functions of the context
  kSmoothGate,     // the same, with a smooth random function added to each score
  kQuadraticGate,  // the same, with scores that are linear in the squares of the context columns
  kOneExpert,      // the expert with the largest linear score determines the weights
  kRegions,        // a tree of cuts of single context columns; each leaf has weights of its own
  kLinear,         // w* is linear in the context, with slopes of its own for each factor
  kLowRank,        // w* is linear in one or two directions of the context
  kPooled          // one trade-off for everybody
};

constexpr auto word_table(WorldTruth) {
  return std::to_array<WordOf<WorldTruth>>({{WorldTruth::kMixture, "mixture"},
                                            {WorldTruth::kSmoothGate, "smooth-gate"},
                                            {WorldTruth::kQuadraticGate, "quadratic-gate"},
                                            {WorldTruth::kOneExpert, "one-expert"},
                                            {WorldTruth::kRegions, "regions"},
                                            {WorldTruth::kLinear, "linear-map"},
                                            {WorldTruth::kLowRank, "low-rank-map"},
                                            {WorldTruth::kPooled, "one-trade-off"}});
}

// How the decisions of the log were chosen. The outcomes played no part.
enum class LoggingPolicy {
  kUniform,     // every decision of the library with the same probability
  kFixed,       // the same preference for some decisions in every context
  kContextual,  // a preference that depends on the context
};

// The numbers that are drawn for a world. docs/method.md ("The simulated worlds") has their
// distributions.
struct RandomWorldSpec {
  WorldTruth truth = WorldTruth::kMixture;
  int rows = 0;      // training rows
  int contexts = 0;  // context columns
  int relevant = 0;  // context columns that each score, slope or cut may use
  int factors = 0;
  int experts = 0;          // experts, or leaves of the tree
  std::size_t library = 0;  // decisions
  double common = 0;        // norm of the mean trade-off
  // The norm of an expert's difference from the mean trade-off, or the root mean square of w*(x)
  // minus its mean. Weights are in units of the linear predictor of a 0/1 outcome, so small weights
  // are a noisy world.
  double spread = 0;
  double top = 0;          // mean of the largest share, if the truth has a softmax gate
  double baseline = 0;     // norm of the slopes of the baseline
  double correlation = 0;  // correlation of any two context columns
  LoggingPolicy logging = LoggingPolicy::kUniform;
  double logging_strength = 0;  // standard deviation of the log of the logging probabilities, about
};

// Returns the numbers that belong to a seed. Of ten consecutive seeds, three have the truth kMixture
// and one has each other truth.
RandomWorldSpec draw_world_spec(std::uint64_t seed);

// Draws the world of the seed, and a log from it. The true weights are in SimulatedRows::weights. If
// the truth is kLinear or kLowRank they are no mixture, and `experts` has the mean trade-off only.
Simulation simulate_random_world(std::uint64_t seed);

}  // namespace otss::internal
