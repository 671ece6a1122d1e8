// Logs whose weights are a known function of the context, shared by the tests of the comparison
// methods.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/methods/method.hpp"
#include "learn/problem/problem.hpp"

namespace otss::test {

using namespace internal;

using Vector = std::vector<double>;
using WeightsOf = std::function<Vector(const Vector& x)>;

struct ProblemShape {
  std::size_t num_rows = 1000;
  int num_contexts = 3;
  int num_factors = 2;
  std::uint64_t seed = 1;
};

// Standard normal contexts and factors; eta = w(x)'z + 0.2.
inline Problem contextual_problem(const ProblemShape& shape, const WeightsOf& weights_of) {
  Rng rng(shape.seed);
  const int columns = shape.num_contexts + shape.num_factors;
  auto features = std::make_shared<TileMatrix>(shape.num_rows, columns);
  std::vector<float> outcomes(shape.num_rows);
  Vector x(shape.num_contexts);
  for (std::size_t i = 0; i < shape.num_rows; ++i) {
    for (int c = 0; c < columns; ++c) features->at(i, c) = static_cast<float>(rng.normal());
    for (int j = 0; j < shape.num_contexts; ++j) x[j] = features->at(i, j);
    const Vector w = weights_of(x);
    double eta = 0.2;
    for (int j = 0; j < shape.num_factors; ++j)
      eta += w[j] * features->at(i, shape.num_contexts + j);
    outcomes[i] = rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1.0F : 0.0F;
  }
  return {std::move(features), shape.num_contexts, SignedWeights(outcomes)};
}

// Every fifth row is held out.
inline Choice chosen_by(const ComparisonMethod& method, const Problem& problem,
                        int num_threads = 1) {
  Folds folds{1, {}};
  for (std::size_t i = 0; i < problem.num_rows(); ++i)
    folds.of_row.push_back(i % 5 == 0 ? 0 : Folds::kNeverHeldOut);
  return choose_and_fit(method, problem, folds, {.num_threads = num_threads}, {});
}

// Mean over fresh contexts of |w(x) - truth|^2.
inline double weight_error(const StandardisedModel& model, const WeightsOf& truth) {
  const WeightMap& map = *as_scorer(model.scorer).as_weight_map();
  Rng rng(99);
  constexpr int kContexts = 2000;
  Vector x(map.num_contexts());
  Vector w(map.num_factors());
  double sum = 0;
  for (int i = 0; i < kContexts; ++i) {
    for (double& entry : x) entry = rng.normal();
    map.weights(x, w);
    const Vector known = truth(x);
    for (std::size_t j = 0; j < w.size(); ++j) sum += (w[j] - known[j]) * (w[j] - known[j]);
  }
  return sum / kContexts;
}

}  // namespace otss::test
