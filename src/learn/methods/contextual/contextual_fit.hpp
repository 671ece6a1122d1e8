// One penalised maximum-likelihood fit of weights that are a smooth function of the context:
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

// (summed loss + penalty) / total weight, in f64, over tiles of rows. One simple implementation for
// every function; only the soft mixture has a fast kernel (engine/).
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
  std::vector<std::size_t> tiles_;  // those that have rows with nonzero weight
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

// With more than 60,000 rows, fits a subsample first and then refines the result on all rows.
ContextualFit fit_contextual(const Problem& problem, const WeightFunction& function,
                             double baseline_penalty, std::span<const double> start,
                             const ContextualEffort& effort);

// theta with the given parameters of the function and the baseline of the pooled fit.
std::vector<double> contextual_start(const PooledFit& pooled, std::span<const double> function);

// The same with the given baseline.
std::vector<double> contextual_start(const Baseline& baseline, std::span<const double> function);

// The weights of the pooled model, from which main effects start.
std::vector<double> pooled_weights(const PooledFit& pooled);

StandardisedModel contextual_model(const WeightFunction& function, std::span<const double> theta);

}  // namespace otss
