// Computes squares and pairs of context columns, from which linear functions of the context are
// subtracted.
#pragma once

#include <Eigen/Core>

namespace otss::internal {

// `contexts` has one row per row of a log, `weights` the weight of each row. Returns the products of
// all pairs of columns, and the squares. If these are more than `most`, returns the squares of `most`
// random combinations of the columns instead, which have the same span on average. Linear functions
// of the contexts are subtracted by weighted regression, and the columns are scaled to unit variance.
// Columns without variation left, such as squares of indicators, are left out.
Eigen::MatrixXd squares_and_pairs(const Eigen::MatrixXd& contexts, const Eigen::VectorXd& weights,
                                  Eigen::Index most);

}  // namespace otss::internal
