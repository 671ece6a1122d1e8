// Arithmetic on tiles, in f64: products with small matrices, tanh, losses. A tile is a matrix of kTileRows rows. Eigen would
// compute without the vector instructions that this processor has (isa/contextual_kernel.hpp).
#pragma once

#include <Eigen/Core>

#include "learn/problem/isa/contextual_kernel.hpp"

namespace otss::internal {

const ContextualKernel& contextual_kernel(Isa isa);

// Writes columns of a tile to the first columns of `to`, as f64.
void widen(const float* columns, Eigen::Index count, Eigen::MatrixXd& to);

// Returns tile × functions': the value of every function in every row.
Eigen::MatrixXd linear_functions(const Eigen::MatrixXd& tile, const FunctionMatrix& functions);

// Adds values' × tile to `sums`, a matrix stored row by row.
void add_products(const Eigen::MatrixXd& values, const Eigen::MatrixXd& tile, double* sums);

void replace_by_tanh(Eigen::MatrixXd& tile);

// Returns the summed logistic loss of the rows of a tile, and replaces the linear predictors by the
// derivatives of the loss.
double replace_by_slopes(const float* signed_weights, Eigen::VectorXd& eta);

}  // namespace otss::internal
