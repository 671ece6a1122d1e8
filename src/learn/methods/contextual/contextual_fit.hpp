// One penalised maximum-likelihood fit of weights that are any smooth function of the context:
//
//   eta(x, z) = w(x)'z + psi'x + psi_0,      theta = [ parameters of w | psi | psi_0 ]
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/methods/contextual/weight_function.hpp"
#include "learn/mixture/pooled.hpp"
#include "optim/objective.hpp"

namespace otss {

// (summed loss + penalty) / total weight, over blocks of rows in f64. One readable path for every
// function; the fast kernel is the mixture's alone.
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
  std::vector<std::size_t> tiles_;  // those with rows that count
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

// Many rows are fitted on a subsample first: passes over all of them then only polish.
ContextualFit fit_contextual(const Problem& problem, const WeightFunction& function,
                             double baseline_penalty, std::span<const double> start,
                             const ContextualEffort& effort);

// The function's own parameters, then the baseline as the pooled fit has it.
std::vector<double> contextual_start(const PooledFit& pooled, std::span<const double> function);

// The same with the baseline of a model fitted before.
std::vector<double> contextual_start(const Baseline& baseline, std::span<const double> function);

// The pooled model's weights: where main effects start.
std::vector<double> pooled_weights(const PooledFit& pooled);

StandardisedModel contextual_model(const WeightFunction& function, std::span<const double> theta);

}  // namespace otss
