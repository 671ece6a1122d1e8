// Computes the mean and the covariance of units' deviations, given their rows, by expectation
// propagation (Minka 2001).
//
// The coordinates e of a unit (deviation_basis.hpp) are N(0, I) before its rows are known. Row r has
// the predictor offset_r + s, where s = direction_r'e. Expectation propagation replaces the
// likelihood of each row by a normal function of s, the site of the row. A site is such that the
// approximate and the exact likelihood of the row give s the same mean and variance, while all
// other rows keep their sites. With a dozen 0/1 outcomes, the mode of the posterior and the
// curvature there are biased, and covariances that are estimated from them are too small. The
// moments of this header are close to exact. For gaussian outcomes they are exact.
#pragma once

#include <cstddef>
#include <span>

#include "model/maps/cache_line.hpp"
#include "model/units/isa/moments_kernel.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// Rows of one unit. The predictor of row r is offset_r + direction_r'e.
struct UnitRows {
  std::span<const double> directions;  // one row of `rank` numbers per row of the unit
  std::span<const double> offsets;     // the predictor without the unit's deviation
  std::span<const double> outcomes;
  // A row of weight 0 says nothing. Empty means that every row has weight 1.
  std::span<const double> weights = {};

  std::size_t size() const { return offsets.size(); }
};

// A normal distribution of e in natural form: its log density is information'e - e'precision e / 2
// plus a constant. `precision` is packed (packed_cholesky.hpp). The distribution N(0, I) of an
// unknown unit has the precision I and the information 0.
struct NaturalNormal {
  std::span<const double> precision;
  std::span<const double> information;
};

// The site of a row: exp(information s - precision s² / 2).
struct Site {
  double precision = 0;
  double information = 0;
  bool operator==(const Site&) const = default;
};

// The posteriors of a few units, which are computed together, because one vector instruction works
// on all of them. What is computed for a unit does not depend on the other units. The object holds
// the memory that the computation needs, so that one object serves many units and allocates no
// memory unless a unit has more rows than any unit before. One thread at a time can use an object.
class UnitMoments {
 public:
  static constexpr std::size_t kMostUnits = kUnitsOfTask;

  // `noise` is the standard deviation of a gaussian outcome; other families ignore it.
  UnitMoments(OutputFamily family, double noise, int rank, Isa isa = active_isa());

  // Removes all units.
  void clear();
  // Adds a unit; there is room for kMostUnits. `sites` are those to start from, one per row; empty
  // is a start without any knowledge. `prior` is the distribution of e before the rows; null means
  // N(0, I).
  void add(const UnitRows& rows, std::span<const Site> sites = {},
           const NaturalNormal* prior = nullptr);
  // These functions add a unit row by row, without sites: begin() adds the unit, set_row() adds its
  // rows 0, 1, … in this order.
  void begin(const NaturalNormal* prior = nullptr);
  void set_row(std::size_t row, std::span<const double> direction, double offset, double outcome,
               double weight);
  void compute();
  void compute_without_evidence();  // log_evidence() is then not defined

  // These functions say what was computed for a unit; units are numbered from 0 in the order in
  // which they were added.
  std::size_t num_units() const { return num_units_; }
  int rank() const { return static_cast<int>(rank_); }
  void copy_mean(std::size_t unit, std::span<double> mean) const;
  void copy_covariance(std::size_t unit, std::span<double> covariance) const;  // rank × rank
  // Copies the lower triangular factor L of the precision L L', packed.
  void copy_factor(std::size_t unit, std::span<double> factor) const;
  Site site(std::size_t unit, std::size_t row) const;
  // Returns the mean of a row's outcome over the posterior of the unit.
  double mean_outcome(std::size_t unit, std::size_t row) const;
  // Returns the logarithm of the approximate marginal likelihood of the rows: of the mean of
  // exp(-sum of weight × loss / noise²) over e. Only for the prior N(0, I).
  double log_evidence(std::size_t unit) const;
  bool converged(std::size_t unit) const;
  // Returns false if numbers overflowed, or if the precision of the prior was not positive definite.
  bool is_finite(std::size_t unit) const;

 private:
  MomentsTask task(bool with_evidence);
  void compute(const MomentsTask& task) const;
  // Returns the kernel that is fastest for the number of units.
  const MomentsKernel& kernel() const;
  void make_room(std::size_t rows);

  Isa isa_;
  OutputFamily family_;
  double row_precision_;  // 1 / noise² for gaussian outcomes, else 1
  std::size_t rank_;
  std::size_t num_units_ = 0;
  std::size_t num_rows_ = 0;           // of the unit with most rows
  double constants_[kMostUnits] = {};  // what the kernel leaves out of the log evidence
  // A CacheLine has one number for each unit.
  CacheLines directions_, offsets_, outcomes_, weights_, prior_precision_, prior_information_;
  CacheLines site_precisions_, site_informations_, means_, covariances_, factors_;
  CacheLines mean_outcomes_, log_masses_, scratch_;
  CacheLine log_evidence_, converged_;
};

}  // namespace otss::internal
