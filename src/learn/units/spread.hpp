// A Spread is the covariance of units' deviations in the form in which it is estimated, and the
// step by which the estimate moves.
#pragma once

#include <Eigen/Core>

#include "otss/model/units.hpp"

namespace otss::internal {

struct Spread {
  DeviationForm form = DeviationForm::kNone;
  // The matrix L, with 1 + J rows and one column per direction in which units differ. The
  // covariance is L L', and the deviations of a unit are L e with e ~ N(0, I).
  Eigen::MatrixXd basis;

  int rank() const { return static_cast<int>(basis.cols()); }
  Eigen::MatrixXd covariance() const { return basis * basis.transpose(); }
  bool is_diagonal() const { return form == DeviationForm::kDiagonal; }
};

// Returns a covariance to start from: all deviations are independent and have equal variances,
// which sum to `total`. The form must not be kLowRank.
Spread first_spread(DeviationForm form, int num_factors, double total);

// Returns the part of a covariance that a simpler form allows. The low-rank form keeps the
// principal directions with the largest variances: as few as have kLowRankShare of the total
// variance.
constexpr double kLowRankShare = 0.95;
Spread simplified(const Spread& spread, DeviationForm form);
// Returns the `rank` principal directions with the largest variances.
Spread low_rank(const Spread& spread, int rank);

// The number of free entries of a covariance of e: of a symmetric matrix, or of a diagonal matrix.
Eigen::Index num_free_entries(const Spread& spread);

// Adds the information that one unit has about the covariance of e to `sum`, a matrix with
// num_free_entries() rows and columns of which only the lower triangle is used. `posterior` is the
// covariance of e given the unit's rows. With D = I - posterior, the information about a change C
// of the covariance is the quadratic form trace(C D C D). The entries of C are its diagonal and
// upper triangle, row by row; entries off the diagonal are multiplied by sqrt(2).
void add_information(const Spread& spread, const Eigen::MatrixXd& posterior, Eigen::MatrixXd& sum);

// The covariance of e that a pass over the units asks for.
struct SpreadTarget {
  // The mean of E ee' over the units, minus I. The matrix is 0 at the maximum of the likelihood.
  Eigen::MatrixXd excess;
  Eigen::MatrixXd information;  // the mean information of a unit, as add_information() computes it
};

// Returns the covariance after one step. With damping 0 this is a step of Fisher scoring, with
// damping 1 a step of expectation–maximisation (EM), which is much shorter but always raises the
// likelihood. The step is damped further until no variance changes by more than a factor of 4.
Spread stepped(const Spread& spread, const SpreadTarget& target, double damping);

// The prior of the correlations of the deviations: |R|^(kPseudoUnits / 2), where R is the
// correlation matrix (the prior of Lewandowski, Kurowicka & Joe 2009). It pulls a full covariance
// towards a diagonal one as kPseudoUnits more units without correlations would. Other forms have no
// prior.
constexpr double kPseudoUnits = 5;
double log_prior(const Spread& spread);
// Returns the derivative of the prior in the units of SpreadTarget::excess × (number of units).
Eigen::MatrixXd prior_excess(const Spread& spread);

}  // namespace otss::internal
