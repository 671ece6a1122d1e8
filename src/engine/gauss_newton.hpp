// The curvature of the loss that is never negative, for preconditioners, evidence and intervals.
#pragma once

#include <Eigen/Core>
#include <span>

#include "data/log/tile_matrix.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// sum_i w_i v_i J_i J_i' with J_i = d eta_i / d theta and v_i the family's curvature at eta_i, for
// 0/1 outcomes p_i (1 - p_i): the Hessian of the summed loss without the curvature of eta. Both
// triangles are filled; the same bits for any number of threads.
Eigen::MatrixXd gauss_newton(const TileMatrix& features, const SignedWeights& rows,
                             std::span<const double> theta, const MixtureLayout& layout,
                             int num_threads, OutputFamily family = {});

}  // namespace otss
