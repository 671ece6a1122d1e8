// The loss of rows whose expert is given (RoutingKind::kFixed), its gradient and its Hessian, one tile
// after the other. A row costs the same with any number of experts, but for the products of
// parameters and columns: only its own expert has a likelihood.
#pragma once

#include <vector>

#include "engine/outer_products.hpp"
#include "learn/probabilities/row_tile.hpp"

namespace otss::internal {

// Returns the loss of the tile's rows, and adds its gradient to `gradient`.
double add_fixed_gradient(const RowTile& tile, const MixtureLayout& layout,
                          std::span<const double> theta, std::span<double> gradient);

// Sums the products of all [z, 1, x, 1] of the rows of each expert.
class FixedCurvature {
 public:
  explicit FixedCurvature(const MixtureLayout& layout);

  void add(const RowTile& tile, std::span<const double> theta);
  // Adds the sums to the lower triangle of the matrix of all parameters. Call this function once.
  void add_to(Eigen::MatrixXd& matrix);

 private:
  MixtureLayout layout_;
  std::vector<OuterProducts> sums_;  // by expert
};

}  // namespace otss::internal
