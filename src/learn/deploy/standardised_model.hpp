// What a method hands back: a model of the outcome in the standardised units it was fitted in.
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
  bool mixes_probabilities = false;  // of the experts, instead of their linear predictors
};

// Of a model that has experts.
const SoftMixture& mixture_of(const StandardisedModel& model);

// Linear predictor of every row.
std::vector<double> predictors(const Problem& problem, const StandardisedModel& model,
                               int num_threads);

// A mixture from the kernel's parameters: the gate symmetric.
StandardisedModel mixture_model(const MixtureLayout& layout, std::span<const double> theta);

// Some of the members, evenly taken, as one mixture of all their experts: their average itself.
StandardisedModel average_model(const std::vector<Member>& members, std::size_t most_members);

// A model whose columns are all monomials of the contexts (quadratic_problem), as one of the
// contexts.
StandardisedModel quadratic_model(const StandardisedModel& on_columns, int num_contexts);

// The other way round, for a mixture behind a linear or one-hot gate: where a fit on other rows of
// the same log may start.
std::vector<double> mixture_parameters(const StandardisedModel& model);

// The same experts and baseline behind another gate.
StandardisedModel with_gate(const StandardisedModel& mixture, Gate gate);

// The same model with experts ordered by how much the problem's contexts use them, the most used
// first. Models without experts stay as they are.
StandardisedModel ordered_by_use(const Problem& problem, const StandardisedModel& model);

}  // namespace otss
