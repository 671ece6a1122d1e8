// Fits a logistic regression with a ridge penalty by Newton's method.
#pragma once

#include <Eigen/Core>

namespace otss::internal {

// The coefficients c minimise
//
//   sum_r weights_r loss(outcomes_r, offsets_r + c'rows_r) + precision |c|² / 2,
//
// where loss is the negative log-likelihood of an outcome that is 0 or 1.
struct RidgeLogistic {
  Eigen::MatrixXd rows;  // one column per row of the log
  Eigen::VectorXd outcomes;
  Eigen::VectorXd offsets;
  Eigen::VectorXd weights;
  double precision = 1;

  // Returns the coefficients, starting at `start`, after at most `max_steps` steps of Newton's
  // method.
  Eigen::VectorXd fit(Eigen::VectorXd start, int max_steps = 25) const;
  // Returns the penalised loss that fit() minimises.
  double objective(const Eigen::VectorXd& coefficients) const;
};

// Returns the negative log-likelihood of an outcome that is 0 or 1, without overflow.
double logistic_loss(double outcome, double predictor);

}  // namespace otss::internal
