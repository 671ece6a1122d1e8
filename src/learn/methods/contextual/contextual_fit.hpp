// Makes one penalised maximum-likelihood fit of weights that are a smooth function of the context:
//
//   eta(x, z) = w(x)'z + psi'x + psi_0,      theta = [ parameters of w | psi | psi_0 ]
//
// The baseline is psi'x + psi_0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/methods/contextual/weight_function.hpp"
#include "learn/mixture/pooled.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

// Computes the objective (summed loss + penalty) / total row weight in f64, one tile (block of
// rows) at a time. This simple implementation works for every weight function. The soft mixture has
// a faster implementation (engine/).
class ContextualObjective final : public Objective {
 public:
  ContextualObjective(const Problem& problem, const WeightFunction& function,
                      double baseline_penalty, int num_threads);
  std::size_t size() const override;
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

 private:
  double add_tile(std::size_t tile, std::span<const double> theta,
                  std::span<double> gradient) const;

  const Problem& problem_;
  const WeightFunction& function_;
  double baseline_penalty_;
  int num_threads_;
  std::vector<std::size_t> tiles_;  // the tiles that have a row with nonzero weight
};

struct ContextualFit {
  std::vector<double> theta;
  double objective = 0;
  int evaluations = 0;
};

struct ContextualEffort {
  int num_threads = 1;
  int max_evaluations = 300;
};

// Fits theta from `start`. With more than 60,000 rows, fits a subsample first; the fit on all rows
// then starts from the subsample's optimum.
ContextualFit fit_contextual(const Problem& problem, const WeightFunction& function,
                             double baseline_penalty, std::span<const double> start,
                             const ContextualEffort& effort);

// Returns theta in which the parameters of the weight function are `function`, and psi and psi_0
// are those of the pooled model.
std::vector<double> contextual_start(const PooledFit& pooled, std::span<const double> function);

// Returns theta in which the parameters of the weight function are `function`, and psi and psi_0
// are those of `baseline`.
std::vector<double> contextual_start(const Baseline& baseline, std::span<const double> function);

// Returns the weights of the pooled model. The methods start the constant part of w(x) at these
// weights.
std::vector<double> pooled_weights(const PooledFit& pooled);

StandardisedModel contextual_model(const WeightFunction& function, std::span<const double> theta);

}  // namespace otss::internal
