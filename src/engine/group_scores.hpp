// Sums over groups of rows that may depend on each other, for cluster-robust covariances.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "data/log/tile_matrix.hpp"
#include "engine/outcomes.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

// Rows, and the group of each of them, from 0 without gaps.
struct GroupedRows {
  const TileMatrix& features;
  const SignedWeights& weights;
  std::span<const std::uint32_t> groups;
};

// Sets `slopes` to the derivatives by eta of the weighted losses of consecutive rows. The first of them
// is row number `first`, the first row of a tile.
using SlopesOfRows = std::function<void(std::size_t first, std::span<double> slopes)>;

// Returns a function for the losses of a mixture. It refers to its arguments, which must live longer.
SlopesOfRows loss_slopes(const GroupedRows& rows, const Outcomes& outcomes,
                         const MixtureLayout& layout, std::span<const double> theta, Mixed mixed,
                         int num_threads);

// Returns the sum over groups of g g', where g is the sum over the group's rows of slope × d eta / d
// theta, times G / (G - 1), where G is the number of groups. The rows are read in their order, so that
// little of tiles in a file is in memory; they are read again, with their slopes, for each block of
// groups whose sums fit into memory.
Eigen::MatrixXd group_outer_products(const GroupedRows& rows, const MixtureLayout& layout,
                                     std::span<const double> theta, const SlopesOfRows& slopes_of,
                                     int num_threads, Mixed mixed = Mixed::kPredictors);

}  // namespace otss::internal
