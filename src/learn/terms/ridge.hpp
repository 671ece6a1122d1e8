// This header fits a ridge regression in the family of the outcome. The fit learns one penalty
// strength for each block of columns.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "learn/terms/term_design.hpp"

namespace otss::internal {

inline constexpr std::size_t kNumTermBlocks = 5;

struct Ridge {
  Eigen::VectorXd coefficients;
  // For each block, the strength of its penalty, counted in rows. The entry of the intercept is not
  // used.
  std::array<double, kNumTermBlocks> strengths{1, 10, 10, 10, 10};
};

// Fits eta = offset + columns · coefficients by Newton's method, to the rows of `rows` whose weight
// is not 0. The strength of a block is the solution of
//   strength = (effective number of coefficients) / (sum of squared coefficients)
// (MacKay 1992). The fit starts from the strengths and coefficients of `start`. If `start` has
// fewer coefficients than there are columns, the coefficients of the last columns start at 0.
Ridge fit_ridge(const Problem& rows, const Eigen::VectorXd& offset, const Eigen::MatrixXd& columns,
                const std::vector<TermBlock>& blocks, const Ridge& start = {});

// The residual of a row is weight · (y - E y), and its curvature is weight · (second derivative of
// the loss). Both are computed at given linear predictors eta.
struct RowDerivatives {
  Eigen::VectorXd residuals, curvatures;
};
RowDerivatives row_derivatives(const Problem& rows, const Eigen::VectorXd& eta);

}  // namespace otss::internal
