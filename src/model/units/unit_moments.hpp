// Computes the mean and the covariance of one unit's deviations, given the unit's rows, by
// expectation propagation (Minka 2001).
//
// The coordinates e of a unit (deviation_basis.hpp) are N(0, I) before its rows are known. Row r has
// the predictor offset_r + s, where s = direction_r'e. Expectation propagation replaces the
// likelihood of each row by a normal function of s, the site of the row. A site is such that the
// approximate and the exact likelihood of the row give s the same mean and variance, while all
// other rows keep their sites. With a dozen 0/1 outcomes, the mode and the curvature of the
// posterior (unit_posterior.hpp) are biased, and covariances that are estimated from them are too
// small. The moments of this header are close to exact. For gaussian outcomes they are exact.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/units/unit_posterior.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// The site of a row: exp(information s - precision s² / 2).
struct Site {
  float precision = 0;
  float information = 0;
};

// The distribution of s, and the mean of the row's outcome.
struct RowMoments {
  double log_mass = 0;      // log of the mean of exp(-weight × loss)
  double mean = 0;          // the mean of s
  double variance = 1;      // the variance of s
  double mean_outcome = 0;  // the mean of the family's mean at eta + s
};

// Returns the moments of s, which has a normal distribution times exp(-weight × loss(eta + s)).
// `mean` and `variance` are those of the normal distribution. A weight of 0 leaves the normal
// distribution as it is.
RowMoments row_moments(OutputFamily family, double eta, double outcome, double weight, double mean,
                       double variance);

// The posterior of one unit. The object holds the memory that the computation needs, so that one
// object serves many units. One thread at a time can use an object.
class UnitMoments {
 public:
  // `noise` is the standard deviation of a gaussian outcome; other families ignore it.
  UnitMoments(OutputFamily family, double noise, int rank);

  // Computes the posterior. `sites` has one entry per row: the sites to start from on entry, those
  // of the posterior on return. Sites of 0 are a start without any knowledge. Rows of weight 0 are
  // not allowed.
  void compute(const UnitRows& rows, std::span<Site> sites);

  std::span<const double> mean() const { return mean_; }              // E e, `rank` entries
  std::span<const double> covariance() const { return covariance_; }  // of e, rank × rank
  // The logarithm of the approximate marginal likelihood of the rows: of the mean of exp(-sum of
  // weight × loss / noise²) over e.
  double log_evidence() const { return log_evidence_; }
  // The mean of each row's outcome over the posterior of the unit.
  std::span<const double> mean_outcomes() const { return mean_outcomes_; }
  bool converged() const { return converged_; }

 private:
  void start(const UnitRows& rows, std::span<const Site> sites);
  double visit(const UnitRows& rows, std::size_t row, Site& site);
  double weight(const UnitRows& rows, std::size_t row) const;
  void factorise();
  void invert();

  OutputFamily family_;
  double row_precision_;  // 1 / noise² for gaussian outcomes, else 1
  std::size_t rank_;
  std::vector<double> mean_, covariance_, information_;
  std::vector<double> product_;  // covariance × the direction of a row
  std::vector<double> factor_;   // Cholesky factor of the precision
  std::vector<double> mean_outcomes_, masses_;
  double log_determinant_ = 0;  // of the precision
  double log_evidence_ = 0;
  bool converged_ = false;
};

}  // namespace otss::internal
