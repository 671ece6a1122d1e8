// This header computes how well predictions are calibrated.
#pragma once

#include <span>

#include "otss/model/output_family.hpp"

namespace otss::internal {

// The regression of the outcome on intercept + slope · eta, in the model's output family. All
// numbers are NaN if eta is the same in every row, because then there is no slope.
struct CalibrationLine {
  double intercept = 0;
  double slope = 1;
  // The second derivatives of the summed loss; a stands for the intercept, b for the slope.
  double curvature_aa = 0, curvature_ab = 0, curvature_bb = 0;
};

// `weights` may be empty; then every row has weight 1.
CalibrationLine calibration(OutputFamily family, std::span<const double> eta,
                            std::span<const double> outcomes, std::span<const double> weights);

}  // namespace otss::internal
