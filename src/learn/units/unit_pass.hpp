// One pass over the units: the posterior of each unit's deviations, and the sums over units from
// which the population's parameters are estimated (the E step).
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "learn/units/spread.hpp"
#include "learn/units/unit_index.hpp"
#include "model/units/unit_moments.hpp"

namespace otss::internal {

// The parameters that the units of a population have in common.
struct Population {
  MixtureLayout layout;
  std::vector<double> theta;
  Spread spread;
  // The variance of gaussian outcomes about their means, in the units of the problem. It is 1 for
  // other families.
  double noise_variance = 1;
};

// Collects the rows of a unit that have a weight, in the form that UnitMoments reads.
class UnitReader {
 public:
  // `etas` has the linear predictor of each row without deviations. The arguments must outlive the
  // reader.
  UnitReader(const Problem& problem, const UnitIndex& index, const Spread& spread,
             std::span<const double> etas)
      : problem_(problem), index_(index), spread_(spread), etas_(etas) {}

  void read(std::size_t unit);
  UnitRows rows() const { return {directions_, offsets_, outcomes_, weights_}; }
  std::span<const std::size_t> indices() const { return indices_; }  // of the rows, in the problem
  // Computes L'[1, z] of a row, which has spread.rank() entries.
  void direction(std::size_t row, std::span<double> out) const;

 private:
  const Problem& problem_;
  const UnitIndex& index_;
  const Spread& spread_;
  std::span<const double> etas_;
  std::vector<std::size_t> indices_;
  std::vector<double> directions_, offsets_, outcomes_, weights_;
};

struct UnitPass {
  double log_evidence = 0;  // the sum over units of UnitMoments::log_evidence()
  SpreadTarget target;
  std::size_t num_units = 0;  // units that have a row with a weight
  // The noise variance that EM would choose, and the share of the rows' degrees of freedom that
  // the deviations do not use. Only for gaussian outcomes.
  double noise_variance = 1, free_share = 1;
  // The mean of each row's outcome over the posterior of the row's unit; the mean without
  // deviations for rows of weight 0.
  std::vector<double> mean_outcomes;
};

// Visits all units. `sites` has one entry per row, from which the posteriors start, and which are
// updated. The result is bitwise identical for any number of threads.
UnitPass visit_units(const Problem& problem, const UnitIndex& index, const Population& population,
                     std::span<Site> sites, int num_threads);

// Returns the loss -log P(y) of every row for which wanted(row) is true, and NaN for other rows. P
// averages over the posterior of the row's unit, given the rows of `known`, which has the same
// features as `whole`. If no row of the unit has a weight in `known`, this is a new unit. `sites`
// are those of `known`.
std::vector<double> predictive_losses(const Problem& whole, const Problem& known,
                                      const UnitIndex& index, const Population& population,
                                      std::span<const Site> sites,
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
