// Computes the Gauss–Newton matrix of the loss, a positive semidefinite approximation of its
// Hessian. Preconditioners, estimates of penalty strengths and intervals use this matrix.
#pragma once

#include <Eigen/Core>
#include <span>

#include "data/log/tile_matrix.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// Returns the matrix
//
//   sum_i w_i v_i J_i J_i',   J_i = d eta_i / d theta
//
// where v_i is the family's curvature at eta_i (bernoulli: p_i (1 - p_i)). The matrix is the
// Hessian of the summed loss without the term with second derivatives of eta. Both triangles are
// filled. The result is bitwise identical for any number of threads.
Eigen::MatrixXd gauss_newton(const TileMatrix& features, const SignedWeights& rows,
                             std::span<const double> theta, const MixtureLayout& layout,
                             int num_threads, OutputFamily family = {});

}  // namespace otss::internal
