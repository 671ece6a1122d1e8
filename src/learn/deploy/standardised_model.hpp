// Defines the result of a method: a model in the standardised units in which it was fitted.
#pragma once

#include <vector>

#include "learn/averaging/distill.hpp"
#include "learn/problem/problem.hpp"
#include "model/maps/any_scorer.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

struct StandardisedModel {
  AnyScorer scorer;
  Baseline baseline;
  // True if the model mixes the experts' probabilities, false if it mixes their linear predictors.
  bool mixes_probabilities = false;
};

// Returns the model's mixture. Precondition: the model has experts.
const SoftMixture& mixture_of(const StandardisedModel& model);

// Returns the linear predictor of every row. If `wanted` is given, the predictor of a row for which
// it returns false is 0.
std::vector<double> predictors(const Problem& problem, const StandardisedModel& model,
                               int num_threads,
                               const std::function<bool(std::size_t row)>& wanted = {});

// Returns the mixture with parameters theta. In theta, the gate has K-1 rows: the parameters of
// each expert minus those of the last expert. In the mixture, the gate has K rows whose mean is 0.
StandardisedModel mixture_model(const MixtureLayout& layout, std::span<const double> theta);

// Returns the average as one mixture that has the experts of all members. If there are more than
// `most_members` members, only `most_members` evenly spaced ones are used.
StandardisedModel average_model(const std::vector<Member>& members, std::size_t most_members);

// Converts a model whose columns are monomials of the contexts (quadratic_problem) to a model whose
// columns are the contexts.
StandardisedModel quadratic_model(const StandardisedModel& on_columns, int num_contexts);

// Returns the parameters of a mixture with a linear or one-hot gate; mixture_model() is the inverse
// function. A fit on other rows of the same log can start from these parameters.
std::vector<double> mixture_parameters(const StandardisedModel& model);

// Returns a mixture with the experts and baseline of `mixture`, but with the given gate.
StandardisedModel with_gate(const StandardisedModel& mixture, Gate gate);

// Returns the model with its experts ordered by their summed share over the problem's rows, the
// largest first. A model without experts is returned unchanged.
StandardisedModel ordered_by_use(const Problem& problem, const StandardisedModel& model);

}  // namespace otss::internal
