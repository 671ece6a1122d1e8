// Finds the weights of an average of models by stacking. The weights are non-negative, sum to 1,
// and minimise the held-out loss of the averaged linear predictors. A linear predictor is linear in
// w(x), so averaging linear predictors also averages the functions w(x). Averaging is used because
// held-out rows are often too noisy to pick the best setting. Models that mix the probabilities of
// their experts are averaged in probability (HeldOut::mixed), so that the average mixes
// probabilities too.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

// Returns the weights that minimise the loss over the held-out rows for which use(row) is true,
// plus the penalty held_out.pull. Without this penalty, noise would decide between settings of
// nearly equal loss.
std::vector<double> stack_weights(const Problem& problem, const HeldOut& held_out,
                                  const std::vector<std::size_t>& candidates,
                                  const std::function<bool(std::size_t row)>& use,
                                  int num_threads = 1);

// Returns the objective of stack_weights(): the mean held-out loss plus the pull. The objective is
// a function of free parameters; the weights are the softmax of these parameters.
std::unique_ptr<Objective> stacking_objective(const Problem& problem, const HeldOut& held_out,
                                              const std::vector<std::size_t>& candidates,
                                              const std::function<bool(std::size_t row)>& use);

// Returns the linear predictor of each row under the average of the candidates.
std::vector<double> stacked_predictors(const HeldOut& held_out,
                                       const std::vector<std::size_t>& candidates,
                                       std::span<const double> weights);

}  // namespace otss::internal
