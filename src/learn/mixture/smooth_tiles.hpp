// Computes the loss of a regression on products of contexts and factors for many rows: whole tiles at
// a time, with the kernels of this processor. SmoothRows is for few rows, and for the Hessian.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

// The mean loss of the rows plus the ridge `penalty`, which is counted in rows, divided by the weight
// of the rows. The parameters are the coefficients of SmoothFit, column by column.
class SmoothTiles final : public Objective {
 public:
  // Both arguments must outlive the object.
  SmoothTiles(const Problem& problem, const Eigen::MatrixXd& penalty, int num_threads);

  std::size_t size() const override;
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

 private:
  double add_tile(std::size_t tile, std::span<const double> theta, std::span<double> sums) const;

  const Problem& problem_;
  const Eigen::MatrixXd& penalty_;
  int num_threads_;
};

// Returns the linear predictor of every row.
std::vector<double> tiled_predictors(const Problem& problem, const Eigen::MatrixXd& coefficients,
                                     int num_threads);

}  // namespace otss::internal
