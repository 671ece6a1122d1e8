// Computes the mean and the covariance of one unit's deviations, given the unit's rows, by
// expectation propagation (Minka 2001).
//
// A unit has the deviations L e, where L L' is their covariance in the population and e has
// independent standard normal entries. Row r of the unit has the linear predictor
//
//   eta_r + a_r'e        a_r = L'[1, z_r],  z_r: standardised factors
//
// Expectation propagation replaces the likelihood of each row by a normal function of a_r'e, its
// site. A site is such that the approximate and the exact likelihood of the row give a_r'e the same
// mean and variance, while all other rows keep their sites. With a dozen binary rows, the mode and
// the curvature of the posterior (Laplace) are biased, but these moments are close to exact. For
// gaussian outcomes they are exact.
#pragma once

#include <span>
#include <vector>

#include "otss/model/output_family.hpp"

namespace otss::internal {

// exp(information s - precision s² / 2), as a function of s = a'e.
struct Site {
  float precision = 0;
  float information = 0;
};

// The rows of one unit. Each span has one entry per row; `loadings` has `rank` entries per row.
struct UnitRows {
  OutputFamily family;
  std::span<const double> loadings;  // a_r
  std::span<const double> etas;      // eta_r, the linear predictors without the deviations
  std::span<const double> outcomes;
  // The loss of a row is multiplied by its weight. For gaussian outcomes with the variance v about
  // their means, this is the row weight divided by v.
  std::span<const double> weights;
};

// The distribution of s = a_r'e, and of the row's mean outcome.
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

// The posterior of one unit. An object keeps its memory, so that one object serves many units.
class UnitMoments {
 public:
  explicit UnitMoments(int rank);

  // Computes the posterior. `sites` has one entry per row: the sites to start from on entry, those
  // of the posterior on return. Sites of 0 are a start without any knowledge.
  void compute(const UnitRows& rows, std::span<Site> sites);

  std::span<const double> mean() const { return mean_; }              // E e, `rank` entries
  std::span<const double> covariance() const { return covariance_; }  // of e, rank × rank
  // The logarithm of the approximate marginal likelihood of the rows: the mean of exp(-sum of
  // weight × loss) over the deviations of the population.
  double log_evidence() const { return log_evidence_; }
  // E mean(eta_r + a_r'e) of each row, given all rows of the unit.
  std::span<const double> mean_outcomes() const { return mean_outcomes_; }
  bool converged() const { return converged_; }

 private:
  void start(const UnitRows& rows, std::span<const Site> sites);
  double visit(const UnitRows& rows, std::size_t row, Site& site);
  void add_to_precision(std::span<const double> loading, double precision);

  std::size_t rank_;
  std::vector<double> mean_, covariance_, information_;
  std::vector<double> product_;  // covariance × the loading of a row
  std::vector<double> factor_;   // Cholesky factor of the precision
  std::vector<double> mean_outcomes_, masses_;
  double log_evidence_ = 0;
  bool converged_ = false;
};

}  // namespace otss::internal
