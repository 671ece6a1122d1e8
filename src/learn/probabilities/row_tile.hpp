// The rows of one tile as the objectives of routed experts need them (routed_objective.hpp).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "learn/probabilities/routed_objective.hpp"

namespace otss::internal {

// Rows of a tile that are not in the problem have weight 0.
class RowTile {
 public:
  // `problem` and `routing` must live longer than the tile.
  RowTile(const Problem& problem, const MixtureLayout& layout, const Routing& routing);

  // Reads the tile with this number.
  void read(std::size_t tile);

  std::size_t first_row() const { return first_row_; }
  std::size_t num_rows() const { return num_rows_; }
  const Eigen::MatrixXd& contexts() const { return contexts_; }  // [x, 1], one row per row
  const Eigen::MatrixXd& factors() const { return factors_; }    // [z, 1]
  const float* signed_weights() const { return signed_weights_; }
  double weight(std::size_t row) const { return std::abs(signed_weights_[row]); }
  // Precondition: the routing is fixed, and row < num_rows().
  std::uint16_t expert(std::size_t row) const { return routing_.expert_of_row[first_row_ + row]; }

 private:
  const Problem& problem_;
  const Routing& routing_;
  Eigen::MatrixXd contexts_, factors_;
  const float* signed_weights_ = nullptr;
  std::size_t first_row_ = 0;
  std::size_t num_rows_ = 0;
};

// The values of linear functions in the rows of a tile, or derivatives with respect to them: one
// column per function. The last function of the contexts is the baseline; those before it are gate
// scores.
struct RowFunctions {
  Eigen::MatrixXd contexts, experts;
};

// Returns the last `count` functions of the contexts, and those of all experts, at theta.
RowFunctions row_functions(const RowTile& tile, const MixtureLayout& layout, std::size_t count,
                           std::span<const double> theta);

// Adds the derivatives with respect to the parameters of these functions to `gradient`.
void add_to_gradient(const RowTile& tile, const MixtureLayout& layout, const RowFunctions& slopes,
                     std::span<double> gradient);

}  // namespace otss::internal
