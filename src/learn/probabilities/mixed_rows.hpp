// The loss of rows whose expert is not known (RoutingKind::kMixture), its gradient, and the curvature
// of EM's M step, one tile after the other.
#pragma once

#include <vector>

#include "learn/probabilities/isa/routed_kernel.hpp"
#include "learn/probabilities/row_tile.hpp"

namespace otss::internal {

const RoutedKernel& routed_kernel(Isa isa);

// Returns the loss of the tile's rows, and adds its gradient to `gradient`.
double add_mixed_gradient(const RowTile& tile, const MixtureLayout& layout,
                          std::span<const double> theta, std::span<double> gradient);

// Sums blocks: a block has the products of all [x, 1] or [z, 1] of two functions.
class MixedCurvature {
 public:
  explicit MixedCurvature(const MixtureLayout& layout);

  void add(const RowTile& tile, std::span<const double> theta);
  // Adds the sums to the lower triangle of the matrix of all parameters.
  void add_to(Eigen::MatrixXd& matrix);

 private:
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void add_gates(const RowTile& tile, const Eigen::ArrayXXd& shares);

  MixtureLayout layout_;
  Block baseline_;
  std::vector<Block> experts_, experts_and_baseline_;  // by expert
  std::vector<Block> gates_;                           // by pair of gate scores
};

}  // namespace otss::internal
