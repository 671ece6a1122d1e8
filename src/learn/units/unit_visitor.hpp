// Reads the rows of units and computes the posteriors of their deviations.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "learn/units/spread.hpp"
#include "learn/units/unit_index.hpp"
#include "model/units/unit_moments.hpp"

namespace otss::internal {

// Sums over units that only direct a step are taken over every n-th unit, with this n.
constexpr std::size_t kSparseUnits = 4;

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

// What was computed for one unit. It is valid until the callback returns.
struct VisitedUnit {
  std::size_t unit = 0;
  std::span<const std::size_t> rows;  // the rows of the unit that have a weight
  const UnitMoments& moments;
  std::size_t slot = 0;               // the number of the unit in `moments`
  const Eigen::VectorXd& mean;        // of the unit's coordinates
  const Eigen::MatrixXd& covariance;  // of the unit's coordinates

  Site site(std::size_t r) const { return moments.site(slot, r); }
  // Returns the mean over the posterior of the outcome of row rows[r].
  double mean_outcome(std::size_t r) const { return moments.mean_outcome(slot, r); }
  double log_evidence() const { return moments.log_evidence(slot); }
};

// Visits units in the order of their numbers of rows, a few at a time. One thread at a time can use
// an object.
class UnitVisitor {
 public:
  // The arguments must outlive the visitor.
  UnitVisitor(const Problem& problem, const UnitIndex& index, const Population& population,
              std::span<const double> etas)
      : index_(index),
        reader_(problem, index, population.spread, etas),
        moments_(problem.family(), std::sqrt(population.noise_variance), population.spread.rank()),
        mean_(population.spread.rank()),
        covariance_(population.spread.rank(), population.spread.rank()) {}

  // Calls use() with each of the units. `sites` has one entry per row of the problem, from which
  // the posteriors start. A unit without a row that has a weight has the prior.
  void visit(std::vector<std::size_t> units, std::span<const Site> sites,
             const std::function<void(const VisitedUnit&)>& use);

 private:
  void add(std::size_t unit, std::span<const Site> sites);
  void finish(const std::function<void(const VisitedUnit&)>& use);

  const UnitIndex& index_;
  UnitReader reader_;
  UnitMoments moments_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_;
  std::vector<std::size_t> units_;              // those that moments_ has
  std::vector<std::vector<std::size_t>> rows_;  // the rows of each of these units
  std::vector<Site> sites_;                     // the sites of one unit
};

}  // namespace otss::internal
