// One pass over the units: the posterior of each unit's deviations, and the sums over units from
// which the population's parameters are estimated (the E step).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "learn/units/spread.hpp"
#include "learn/units/unit_index.hpp"
#include "learn/units/unit_visitor.hpp"

namespace otss::internal {

struct UnitPass {
  double log_evidence = 0;  // the sum over units of VisitedUnit::log_evidence()
  SpreadTarget target;
  std::size_t num_units = 0;  // units that have a row with a weight
  // The noise variance that EM would choose, and the share of the rows' degrees of freedom that
  // the deviations do not use. Only for gaussian outcomes.
  double noise_variance = 1, free_share = 1;
  // The mean of each row's outcome over the posterior of the row's unit; the mean without
  // deviations for rows of weight 0.
  std::vector<double> mean_outcomes;
};

// Visits all units. `etas` are linear_predictors_of() the population. `sites` has one entry per row,
// from which the posteriors start, and which are updated. The result is bitwise identical for any
// number of threads.
UnitPass visit_units(const Problem& problem, const UnitIndex& index, const Population& population,
                     std::span<const double> etas, std::span<Site> sites, int num_threads);

// Returns the loss -log P(y) of every row for which wanted(row) is true, and NaN for other rows. P
// averages over the posterior of the row's unit, given the rows of `known`, which has the same
// features as `whole`. If no row of the unit has a weight in `known`, this is a new unit. `etas` are
// linear_predictors_of() the population, and `sites` are those of `known`.
std::vector<double> predictive_losses(const Problem& whole, const Problem& known,
                                      const UnitIndex& index, const Population& population,
                                      std::span<const double> etas, std::span<const Site> sites,
                                      const std::function<bool(std::size_t row)>& wanted,
                                      int num_threads);

// Returns the loss -log P(y) of every row as if its unit were new: P averages over N(0, Σ). `etas`
// has the linear predictors without deviations; a row whose entry is NaN has the loss NaN.
std::vector<double> new_unit_losses(const Problem& problem, const UnitIndex& index,
                                    const Population& population, std::span<const double> etas);

// Returns the linear predictor of each row without deviations.
std::vector<double> linear_predictors_of(const Problem& problem, const Population& population,
                                         int num_threads);

}  // namespace otss::internal
