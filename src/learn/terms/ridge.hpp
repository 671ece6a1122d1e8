// A ridge regression in the outcome's family, on columns in memory. It learns one penalty strength
// for each block of columns.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "learn/terms/term_design.hpp"

namespace otss::internal {

inline constexpr std::size_t kNumTermBlocks = 5;

struct Ridge {
  Eigen::VectorXd coefficients;
  // For each block, the strength of its penalty, counted in rows. The intercept has none.
  std::array<double, kNumTermBlocks> strengths{1, 10, 10, 10, 10};
};

// Fits eta = offset + columns' coefficients to the rows of `rows` whose weight is not 0, by Newton's
// method. The strength of a block is the fixed point of (effective number of coefficients) /
// |coefficients|^2 (MacKay 1992). The fit starts from `start`, whose coefficients are those of the
// first columns.
Ridge fit_ridge(const Problem& rows, const Eigen::VectorXd& offset, const Eigen::MatrixXd& columns,
                const std::vector<TermBlock>& blocks, const Ridge& start = {});

// Returns the weighted residuals w (y - E y) and the weighted curvatures at given linear predictors.
struct RowDerivatives {
  Eigen::VectorXd residuals, curvatures;
};
RowDerivatives row_derivatives(const Problem& rows, const Eigen::VectorXd& eta);

}  // namespace otss::internal
