// Holds the data that a mixture is fitted to: features, row weights and outcomes.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <vector>

#include "data/log/tile_matrix.hpp"
#include "engine/device_rows.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/row_offsets.hpp"
#include "engine/rows.hpp"
#include "engine/signed_weights.hpp"
#include "learn/problem/constraints.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

struct Problem {
  std::shared_ptr<const TileMatrix> features;  // contexts first, then factors
  int num_contexts = 0;
  SignedWeights rows;
  Outcomes outcomes = {};
  WeightBounds bounds = {};
  // These numbers are added to the linear predictors. Only the engine of make_engine() adds them.
  RowOffsets offsets = {};

  int num_factors() const { return features->num_columns() - num_contexts; }
  std::size_t num_rows() const { return features->num_rows(); }
  MixtureLayout layout(int num_experts) const { return {num_contexts, num_factors(), num_experts}; }

  // Returns the bounds as a box for the whole parameter vector. The weights of every expert are
  // bounded; intercepts are not.
  Box box(const MixtureLayout& layout) const;

  OutputFamily family() const { return outcomes.family(); }
  double weight(std::size_t row) const { return std::abs(rows[row]); }
  double outcome(std::size_t row) const {
    return family() == OutputFamily::kBernoulli ? rows[row] > 0 : outcomes[row];
  }
  double mean_outcome() const;  // weighted mean of the outcomes

  // Returns a problem with the same features, in which rows get weight 0 if keep(row) is false.
  Problem restricted_to(const std::function<bool(std::size_t)>& keep) const;
};

// Returns a problem with all rows of the log. The problem refers to the log's tiles, so the log
// must live longer than the problem. Gaussian outcomes are converted to `units`; `own_bounds` are
// in the log's units.
Problem whole_problem(const LoggedData& log, OutputFamily family = {},
                      const OutcomeUnits& units = {}, const Box& own_bounds = {});

// Returns the bounds on each expert's weights as a box for the whole parameter vector.
Box expert_box(const Box& bounds, const MixtureLayout& layout);

// Returns a problem with the same rows, in which each context is replaced by its monomials up to
// degree two. A linear gate on the monomials is a quadratic gate on the contexts.
Problem quadratic_problem(const Problem& problem);

// Returns a copy of the given rows, in the given order.
Problem rows_of(const Problem& problem, std::span<const std::size_t> rows);

// Returns at most `wanted` of the numbers 0 … count-1, spread evenly, in increasing order.
std::vector<std::size_t> spread_positions(std::size_t count, std::size_t wanted);

// Returns a copy of at most `num_rows` rows with nonzero weight, spread evenly over the log. If
// `chosen` is given, it receives the indices of these rows.
Problem subsample(const Problem& problem, std::size_t num_rows,
                  std::vector<std::size_t>* chosen = nullptr);

// Returns the engine that evaluates the problem's loss. Engines are chosen here and nowhere else.
std::unique_ptr<Engine> make_engine(const Problem& problem, int num_experts, int num_threads);

// Returns the rows of a log in memory, for sums over all of them. `log` must live longer than the
// result.
std::unique_ptr<Rows> make_rows(const LoggedData& log, const RowsDevice& by);

// Returns the Gauss–Newton matrix of the problem's summed loss at theta.
Eigen::MatrixXd curvature(const Problem& problem, std::span<const double> theta,
                          const MixtureLayout& layout, int num_threads,
                          Mixed mixed = Mixed::kPredictors);

}  // namespace otss::internal
