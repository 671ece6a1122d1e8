// What a method hands back: a model of the outcome in the standardised units it was fitted in.
#pragma once

#include <memory>
#include <vector>

#include "learn/distill.hpp"
#include "learn/problem.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct Model {
  std::shared_ptr<const Scorer> scorer;
  Baseline baseline;
  bool mixes_probabilities = false;  // of the experts, instead of their linear predictors
};

// Linear predictor of every row.
std::vector<double> predictors(const Problem& problem, const Model& model, int num_threads);

// A mixture from the kernel's parameters: the gate symmetric.
Model mixture_model(const MixtureLayout& layout, std::span<const double> theta);

// Some of the members, evenly taken, as one mixture of all their experts: their average itself.
Model average_model(const std::vector<Member>& members, std::size_t most_members);

// A model whose columns are all monomials of the contexts (quadratic_problem), as one of the
// contexts.
Model quadratic_model(const Model& on_columns, int num_contexts);

// The other way round, for a mixture behind a linear or one-hot gate: where a fit on other rows of
// the same log may start.
std::vector<double> mixture_parameters(const Model& model);

// The same experts and baseline behind another gate.
Model with_gate(const Model& mixture, std::shared_ptr<const Gate> gate);

// The same model with experts ordered by how much the problem's contexts use them, the most used
// first. Models without experts stay as they are.
Model ordered_by_use(const Problem& problem, const Model& model);

}  // namespace otss
