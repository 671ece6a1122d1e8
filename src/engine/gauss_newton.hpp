// Computes the Gauss–Newton matrix of the loss, a positive semidefinite approximation of the
// Hessian. This matrix is used for preconditioners, estimates of penalty strengths, and intervals.
#pragma once

#include <Eigen/Core>
#include <span>

#include "data/log/tile_matrix.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// Returns the matrix
//
//   sum_i w_i v_i J_i J_i',   J_i = d eta_i / d theta
//
// where w_i is the weight of row i, and v_i is the family's curvature at eta_i (bernoulli: p_i (1 -
// p_i), where p_i is the probability of outcome 1). The Hessian of the summed loss has a further
// term with second derivatives of eta, which this matrix omits. `mixed` says what eta averages over
// the experts; for 0/1 outcomes the matrix is the Fisher information in both cases. Both triangles are filled. The
// result is bitwise identical for any number of threads.
Eigen::MatrixXd gauss_newton(const TileMatrix& features, const SignedWeights& rows,
                             std::span<const double> theta, const MixtureLayout& layout,
                             int num_threads, OutputFamily family = {},
                             Mixed mixed = Mixed::kPredictors);

// The tiles from `first` to `end` - 1.
struct TileRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

// Returns the same sum over the rows of the given tiles only, computed on the calling thread.
Eigen::MatrixXd gauss_newton_of_tiles(const TileMatrix& features, const SignedWeights& rows,
                                      const TileRange& tiles, std::span<const double> theta,
                                      const MixtureLayout& layout, OutputFamily family,
                                      Mixed mixed);

}  // namespace otss::internal
