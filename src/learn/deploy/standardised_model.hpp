// The result of a method: a model in the standardised units in which it was fitted.
#pragma once

#include <vector>

#include "learn/averaging/distill.hpp"
#include "learn/problem/problem.hpp"
#include "model/maps/any_scorer.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct StandardisedModel {
  AnyScorer scorer;
  Baseline baseline;
  bool mixes_probabilities =
      false;  // mixes the experts' probabilities, not their linear predictors
};

// Precondition: the model has experts.
const SoftMixture& mixture_of(const StandardisedModel& model);

// Linear predictor of every row.
std::vector<double> predictors(const Problem& problem, const StandardisedModel& model,
                               int num_threads);

// The mixture with parameters theta. The kernel's K-1 gate differences become K symmetric rows.
StandardisedModel mixture_model(const MixtureLayout& layout, std::span<const double> theta);

// The average of at most `most_members` evenly spaced members, as one mixture of all their experts.
StandardisedModel average_model(const std::vector<Member>& members, std::size_t most_members);

// Converts a model on the monomials of the contexts (quadratic_problem) to a model on the contexts.
StandardisedModel quadratic_model(const StandardisedModel& on_columns, int num_contexts);

// The inverse of mixture_model, for a mixture with a linear or one-hot gate: the starting point of
// a fit on other rows of the same log.
std::vector<double> mixture_parameters(const StandardisedModel& model);

// The same experts and baseline with another gate.
StandardisedModel with_gate(const StandardisedModel& mixture, Gate gate);

// The same model with its experts ordered by their summed share over the problem's rows, largest
// first. Models without experts are returned unchanged.
StandardisedModel ordered_by_use(const Problem& problem, const StandardisedModel& model);

}  // namespace otss
