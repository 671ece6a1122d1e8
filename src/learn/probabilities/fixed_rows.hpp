// The loss of rows whose expert is given (RoutingKind::kFixed), its gradient and its Hessian. A row
// costs the same with any number of experts, but for the products of parameters and columns: only its
// own expert has a likelihood.
#pragma once

#include "learn/probabilities/row_tile.hpp"

namespace otss::internal {

// Returns the loss of the tile's rows, and adds its gradient to `gradient`.
double add_fixed_gradient(const RowTile& tile, const MixtureLayout& layout,
                          std::span<const double> theta, std::span<double> gradient);

// Writes the root of the curvature of each row of the tile, the second derivative of its loss with
// respect to its linear predictor, to `roots`, which has an entry for each row of the problem.
void write_curvature_roots(const RowTile& tile, const MixtureLayout& layout,
                           std::span<const double> theta, std::span<double> roots);

// Returns the Hessian of the summed loss from these roots; only its lower triangle is filled.
Eigen::MatrixXd fixed_curvature(const Problem& problem, const MixtureLayout& layout,
                                const Routing& routing, std::span<const double> roots,
                                int num_threads);

}  // namespace otss::internal
