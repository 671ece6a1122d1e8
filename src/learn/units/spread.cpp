#include "learn/units/spread.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A step multiplies the variance in each direction by a number in this range.
constexpr double kLeastFactor = 0.25, kMostFactor = 4;
// A variance is never smaller than this share of the largest variance. Otherwise L would become
// singular, and a direction that has been lost could not return.
constexpr double kLeastVariance = 1e-8;

// The factor by which the entry (a, b) of a symmetric matrix is multiplied when the entries are
// written as a vector. The scalar product of two vectors is then the trace of the product.
double entry_scale(Index a, Index b) { return a == b ? 1 : std::numbers::sqrt2; }

VectorXd entries_of(const Spread& spread, const MatrixXd& symmetric) {
  if (spread.is_diagonal()) return symmetric.diagonal();
  VectorXd entries(num_free_entries(spread));
  Index i = 0;
  for (Index a = 0; a < symmetric.rows(); ++a) {
    for (Index b = a; b < symmetric.rows(); ++b) entries[i++] = entry_scale(a, b) * symmetric(a, b);
  }
  return entries;
}

MatrixXd matrix_of(const Spread& spread, const VectorXd& entries) {
  if (spread.is_diagonal()) return entries.asDiagonal();
  MatrixXd symmetric(spread.rank(), spread.rank());
  Index i = 0;
  for (Index a = 0; a < symmetric.rows(); ++a) {
    for (Index b = a; b < symmetric.rows(); ++b, ++i)
      symmetric(a, b) = symmetric(b, a) = entries[i] / entry_scale(a, b);
  }
  return symmetric;
}

// Returns L R, where R R' = covariance. `covariance` is the new covariance of e.
MatrixXd moved_basis(const Spread& spread, const MatrixXd& covariance) {
  if (spread.is_diagonal()) return spread.basis * covariance.diagonal().cwiseSqrt().asDiagonal();
  MatrixXd moved = spread.basis * covariance.llt().matrixL().toDenseMatrix();
  if (moved.rows() != moved.cols()) return moved;
  MatrixXd product = moved * moved.transpose();
  product.diagonal().array() += kLeastVariance * product.diagonal().maxCoeff();
  return product.llt().matrixL();
}

MatrixXd with_floor(const VectorXd& variances) {
  return variances.cwiseMax(kLeastVariance * variances.maxCoeff()).cwiseSqrt().asDiagonal();
}

// Returns the smallest number of principal directions that have kLowRankShare of the variance.
int low_rank_of(const MatrixXd& covariance) {
  const VectorXd values = covariance.selfadjointView<Eigen::Lower>().eigenvalues();  // ascending
  Index rank = 1;
  double kept = values[values.size() - 1];
  while (rank < values.size() && kept < kLowRankShare * values.sum())
    kept += values[values.size() - ++rank];
  return static_cast<int>(rank);
}

}  // namespace

Spread low_rank(const Spread& spread, int rank) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(spread.covariance());
  const VectorXd deviations = solver.eigenvalues().tail(rank).cwiseMax(0).cwiseSqrt();
  return {DeviationForm::kLowRank, solver.eigenvectors().rightCols(rank) * deviations.asDiagonal()};
}

Spread first_spread(DeviationForm form, int num_factors, double total) {
  const Index size = 1 + num_factors;
  if (form == DeviationForm::kNone) return {form, MatrixXd(size, 0)};
  const Index columns = form == DeviationForm::kIntercept ? 1 : size;
  return {form,
          std::sqrt(total / static_cast<double>(columns)) * MatrixXd::Identity(size, columns)};
}

Spread simplified(const Spread& spread, DeviationForm form) {
  const MatrixXd covariance = spread.covariance();
  switch (form) {
    case DeviationForm::kNone: return {form, MatrixXd(covariance.rows(), 0)};
    case DeviationForm::kIntercept: return {form, with_floor(covariance.diagonal()).leftCols(1)};
    case DeviationForm::kDiagonal: return {form, with_floor(covariance.diagonal())};
    case DeviationForm::kLowRank: return low_rank(spread, low_rank_of(covariance));
    case DeviationForm::kFull: break;
  }
  return {form, moved_basis({form, MatrixXd::Identity(covariance.rows(), covariance.cols())},
                            covariance)};
}

Index num_free_entries(const Spread& spread) {
  const Index rank = spread.rank();
  return spread.is_diagonal() ? rank : rank * (rank + 1) / 2;
}

void add_information(const Spread& spread, const MatrixXd& posterior, MatrixXd& sum) {
  const Index rank = spread.rank();
  const MatrixXd known = MatrixXd::Identity(rank, rank) - posterior;
  if (spread.is_diagonal()) {
    sum.triangularView<Eigen::Lower>() += known.cwiseAbs2();
    return;
  }
  Index column = 0;
  for (Index c = 0; c < rank; ++c) {
    for (Index d = c; d < rank; ++d, ++column) {
      // The rows from `column` on are the lower triangle; they begin with the entry (c, d).
      double* out = &sum(column, column);
      for (Index a = c; a < rank; ++a) {
        for (Index b = a == c ? d : a; b < rank; ++b)
          *out++ += 0.5 * entry_scale(a, b) * entry_scale(c, d) *
                    (known(a, c) * known(b, d) + known(a, d) * known(b, c));
      }
    }
  }
}

Spread stepped(const Spread& spread, const SpreadTarget& target, double damping) {
  if (spread.rank() == 0) return spread;
  const VectorXd excess = entries_of(spread, target.excess);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> information(target.information);
  const VectorXd rotated = information.eigenvectors().transpose() * excess;
  // Eigenvalues of the information are between 0 and 1.
  const auto values = information.eigenvalues().array().max(0).min(1);
  for (double damped = damping;; damped = std::min(1.0, 2 * damped + 1e-3)) {
    const VectorXd step =
        information.eigenvectors() * (rotated.array() / ((1 - damped) * values + damped)).matrix();
    const MatrixXd change = matrix_of(spread, step);
    const VectorXd changes = change.selfadjointView<Eigen::Lower>().eigenvalues();
    const double share = std::min({1.0, (kLeastFactor - 1) / std::min(-1e-9, changes.minCoeff()),
                                   (kMostFactor - 1) / std::max(1e-9, changes.maxCoeff())});
    if (share == 1 || damped >= 1) {
      const MatrixXd identity = MatrixXd::Identity(change.rows(), change.cols());
      return {spread.form, moved_basis(spread, identity + share * change)};
    }
  }
}

double log_prior(const Spread& spread) {
  if (spread.form != DeviationForm::kFull) return 0;
  // log |R| is log |covariance| minus the logarithms of the variances.
  const double log_determinant = 2 * spread.basis.diagonal().array().log().sum();
  const double log_variances = spread.basis.rowwise().squaredNorm().array().log().sum();
  return 0.5 * kPseudoUnits * (log_determinant - log_variances);
}

MatrixXd prior_excess(const Spread& spread) {
  const Index rank = spread.rank();
  if (spread.form != DeviationForm::kFull) return MatrixXd::Zero(rank, rank);
  const VectorXd variances = spread.basis.rowwise().squaredNorm();
  return kPseudoUnits *
         (MatrixXd::Identity(rank, rank) -
          spread.basis.transpose() * variances.cwiseInverse().asDiagonal() * spread.basis);
}

}  // namespace otss::internal
