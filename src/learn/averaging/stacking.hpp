// Weights on the simplex with which several models' logits predict held-out rows best. A logit is
// linear in w(x), so averaging logits averages weight maps: where a validation set is too noisy to
// pick one setting, it need not be picked.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "optim/objective.hpp"

namespace otss {

// Minimises the held-out loss over the rows for which use(row) holds, plus a small pull towards
// equal weights (a few rows' worth of relative entropy), without which ties between near-equal
// settings are broken by noise.
std::vector<double> stack_weights(const Problem& problem, const HeldOut& held_out,
                                  const std::vector<std::size_t>& candidates,
                                  const std::function<bool(std::size_t row)>& use);

// What stack_weights minimises: mean held-out loss plus pull, by parameters whose softmax is the
// weights.
std::unique_ptr<Objective> stacking_objective(const Problem& problem, const HeldOut& held_out,
                                              const std::vector<std::size_t>& candidates,
                                              const std::function<bool(std::size_t row)>& use);

// sum over candidates of weight × logits, per row.
std::vector<double> stacked_predictors(const HeldOut& held_out,
                                       const std::vector<std::size_t>& candidates,
                                       std::span<const double> weights);

}  // namespace otss
