// A small random mixture with its rows, shared by the tests of this room.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/cpu/reference_kernel.hpp"
#include "engine/outcomes.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::test {

using namespace internal;

inline constexpr double kLargestFeature = 1.7;

struct Problem {
  MixtureLayout layout;
  TileMatrix features;
  SignedWeights rows;
  std::vector<double> theta;
  Outcomes outcomes = {};
};

enum class Weights { kUnit, kGeneral, kMasked };

inline SignedWeights make_rows(Rng& rng, std::size_t num_rows, Weights kind) {
  std::vector<float> outcomes(num_rows), weights(num_rows, 1.0F);
  for (float& outcome : outcomes) outcome = rng.uniform() < 0.4 ? 1.0F : 0.0F;
  if (kind != Weights::kUnit) {
    for (float& weight : weights) weight = static_cast<float>(rng.uniform(0.25, 4.0));
  }
  const SignedWeights rows(outcomes, weights);
  return kind == Weights::kMasked ? rows.restricted_to([](std::size_t i) { return i % 3 != 1; })
                                  : rows;
}

inline Problem make_problem(std::size_t num_rows, MixtureLayout layout,
                            Weights kind = Weights::kUnit, double theta_scale = 0.3) {
  Rng rng(2024, num_rows);
  TileMatrix features(num_rows, layout.num_contexts + layout.num_factors);
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (int c = 0; c < features.num_columns(); ++c) {
      features.at(i, c) = static_cast<float>(rng.uniform(-kLargestFeature, kLargestFeature));
    }
  }
  std::vector<double> theta(layout.size());
  for (double& value : theta) value = theta_scale * rng.normal();
  return {layout, std::move(features), make_rows(rng, num_rows, kind), std::move(theta)};
}

// The same rows with outcomes of another family; counts are around `mean`.
inline Problem with_family(Problem problem, OutputFamily family, double mean = 3) {
  Rng rng(77);
  std::vector<float> outcomes(problem.features.num_rows());
  for (float& outcome : outcomes) {
    outcome = static_cast<float>(
        family == OutputFamily::kPoisson ? std::floor(2 * mean * rng.uniform()) : rng.normal());
  }
  if (family == OutputFamily::kPoisson)
    problem.theta[problem.layout.baseline() + problem.layout.num_contexts] = std::log(mean);
  problem.outcomes = Outcomes(family, outcomes);
  return problem;
}

struct LossGradient {
  double loss;
  std::vector<double> gradient;
};

// All tiles in one go on the plain path.
inline LossGradient evaluate_plain(const Problem& problem, const std::vector<double>& theta,
                                   Precision precision = Precision::kDouble) {
  std::vector<std::uint32_t> tiles(problem.features.num_tiles());
  std::iota(tiles.begin(), tiles.end(), 0U);
  const MixtureChunk all{.features = problem.features.tile(0),
                         .signed_weights = problem.rows.tile(0),
                         .tiles = tiles.data(),
                         .num_tiles = tiles.size(),
                         .num_contexts = problem.layout.num_contexts,
                         .num_factors = problem.layout.num_factors,
                         .num_experts = problem.layout.num_experts,
                         .outcomes = problem.outcomes.tiles()};
  LossGradient result{0, std::vector<double>(problem.layout.size())};
  result.loss = reference_kernel(precision, problem.outcomes.family())(
      all, theta.data(), result.gradient.data(), nullptr);
  return result;
}

}  // namespace otss::test
