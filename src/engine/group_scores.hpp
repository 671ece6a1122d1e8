// Sums over groups of rows that may depend on each other, for cluster-robust covariances.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "data/log/tile_matrix.hpp"
#include "engine/outcomes.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

// Returns the derivative of each row's weighted loss by eta.
std::vector<double> loss_slopes(const TileMatrix& features, const SignedWeights& rows,
                                const Outcomes& outcomes, const MixtureLayout& layout,
                                std::span<const double> theta, Mixed mixed, int num_threads);

// Returns the sum over groups of g g', where g is the sum over the group's rows of slope × d eta / d
// theta, times G / (G - 1), where G is the number of groups. `slopes` has the derivative of the
// weighted loss by eta for each row. `groups` has the group of each row, from 0 without gaps.
Eigen::MatrixXd group_outer_products(const TileMatrix& features, const SignedWeights& rows,
                                     const MixtureLayout& layout, std::span<const double> theta,
                                     std::span<const double> slopes,
                                     std::span<const std::uint32_t> groups, int num_threads,
                                     Mixed mixed = Mixed::kPredictors);

}  // namespace otss::internal
