// A UnitPosterior computes what the rows of one unit say about the coordinates e of this unit
// (deviation_basis.hpp). The posterior is approximated by a normal distribution: its mean is the
// most probable e, and its precision is the curvature there (Laplace's approximation). For gaussian
// outcomes the posterior is exact.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/model/output_family.hpp"

namespace otss::internal {

// Rows of one unit. The predictor of row r is offset_r + direction_r'e.
struct UnitRows {
  std::span<const double> directions;  // one row of `rank` numbers per row of the unit
  std::span<const double> offsets;     // the predictor without the unit's deviation
  std::span<const double> outcomes;
  std::span<const double> weights = {};  // empty means that every row has weight 1

  std::size_t size() const { return offsets.size(); }
};

// A normal distribution of e in natural form: its log density is information'e - e'precision e / 2
// plus a constant. `precision` is packed (packed_cholesky.hpp). The distribution N(0, I) of an
// unknown unit has the precision I and the information 0.
struct NaturalNormal {
  std::span<const double> precision;
  std::span<const double> information;
};

// The object holds the memory that the computation needs. So an update allocates no memory, unless
// a unit has more rows than any unit before. One thread at a time can use an object.
class UnitPosterior {
 public:
  // `noise` is the standard deviation of a gaussian outcome; other families ignore it.
  UnitPosterior(OutputFamily family, double noise, int rank);

  // Computes the posterior of a unit that had the distribution `prior` before these rows. Returns
  // false if the numbers overflow, or if the precision of the prior is not positive definite. Then
  // the results are not valid.
  bool update(const NaturalNormal& prior, const UnitRows& rows);
  // Computes the posterior of a unit without earlier rows, whose prior is N(0, I).
  bool update(const UnitRows& rows);

  // Adds to a distribution in natural form what rows say about e, as the normal distribution that
  // has the slope and the curvature of their log likelihood at `at`, times `sign`. With the sign -1,
  // and `at` the mean of a posterior, the rows are taken out of this posterior.
  void add_sites(const UnitRows& rows, std::span<const double> at, double sign,
                 std::span<double> precision, std::span<double> information) const;

  int rank() const { return static_cast<int>(mean_.size()); }
  std::span<const double> mean() const { return mean_; }
  // Returns the lower triangular factor L of the precision L L', packed.
  std::span<const double> factor() const { return factor_; }
  std::span<const double> precision() const { return precision_; }  // packed

 private:
  bool run(const NaturalNormal& prior, const UnitRows& rows);
  template <class Formulas>
  bool run(const NaturalNormal& prior, const UnitRows& rows);
  template <class Formulas>
  void differentiate(const NaturalNormal& prior, const UnitRows& rows, std::span<const double> e);
  template <class Formulas>
  double loss_at(const NaturalNormal& prior, const UnitRows& rows, std::span<const double> e) const;
  template <class Formulas>
  void shorten_step(const NaturalNormal& prior, const UnitRows& rows, double decrement);
  void add_curvature(const UnitRows& rows);
  bool start_at_mean_of(const NaturalNormal& prior);

  OutputFamily family_;
  double row_precision_;  // 1 / noise² for gaussian outcomes, else 1
  std::vector<double> mean_, step_, trial_, gradient_;
  std::vector<double> precision_, factor_;
  std::vector<double> slopes_, curvatures_;              // one entry per row
  std::vector<double> unit_precision_, no_information_;  // the prior N(0, I)
};

}  // namespace otss::internal
