// The rows a mixture is fitted on: features somewhere, which of them count, what came of them.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <vector>

#include "data/log/tile_matrix.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/signed_weights.hpp"
#include "learn/problem/constraints.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

struct Problem {
  std::shared_ptr<const TileMatrix> features;  // contexts first, then factors
  int num_contexts = 0;
  SignedWeights rows;
  Outcomes outcomes = {};
  WeightBounds bounds = {};

  int num_factors() const { return features->num_columns() - num_contexts; }
  std::size_t num_rows() const { return features->num_rows(); }
  MixtureLayout layout(int num_experts) const { return {num_contexts, num_factors(), num_experts}; }

  // The bounds as a box on a parameter vector: on every expert, not on its intercept.
  Box box(const MixtureLayout& layout) const;

  OutputFamily family() const { return outcomes.family(); }
  double weight(std::size_t row) const { return std::abs(rows[row]); }
  double outcome(std::size_t row) const {
    return family() == OutputFamily::kBernoulli ? rows[row] > 0 : outcomes[row];
  }
  double mean_outcome() const;  // weighted, over the rows that count

  // The same features with only the rows for which keep(row) holds.
  Problem restricted_to(const std::function<bool(std::size_t)>& keep) const;
};

// All rows of a log. The problem looks at the log's own tiles: the log must outlive it.
// Gaussian outcomes are taken in the units given; bounds are in the log's own.
Problem whole_problem(const LoggedData& log, OutputFamily family = {},
                      const OutcomeUnits& units = {}, const Box& own_bounds = {});

// Bounds on an expert's weights as a box on a whole parameter vector.
Box expert_box(const Box& bounds, const MixtureLayout& layout);

// The same rows with all monomials of the contexts up to degree two in their place: a linear gate
// on them is a quadratic gate on the contexts.
Problem quadratic_problem(const Problem& problem);

// About `num_rows` of the rows that count, spread evenly over the log and copied into tiles of
// their own; `chosen` (if given) receives their indices.
Problem subsample(const Problem& problem, std::size_t num_rows,
                  std::vector<std::size_t>* chosen = nullptr);

// What evaluates the problem's loss: the one place where an engine is chosen.
std::unique_ptr<Engine> make_engine(const Problem& problem, int num_experts, int num_threads);

// The problem's Gauss–Newton matrix.
Eigen::MatrixXd curvature(const Problem& problem, std::span<const double> theta,
                          const MixtureLayout& layout, int num_threads);

}  // namespace otss
