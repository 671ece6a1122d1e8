// How good a model's predictions are, and how its gate is used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/model/output_family.hpp"

namespace otss {

// Means are over rows, weighted by the row weights where there are any.
struct PredictionQuality {
  double log_loss = 0;       // mean of -log P(y)
  double squared_error = 0;  // mean of (E y - y)²; for 0/1 outcomes this is the Brier score
  double deviance = 0;       // mean unit deviance; for gaussian outcomes this is squared_error
  // 1 - deviance / (deviance when every row is predicted by the mean outcome); for gaussian
  // outcomes this is R². NaN when only one outcome occurs.
  double explained = 0;
  // Area under the ROC curve, for 0/1 outcomes; NaN for other outcomes, and when only one occurs.
  double auc = 0;
  // Slope when y is regressed on eta within the output family. 1: calibrated; below 1: overfitted.
  double calibration_slope = 0;
};

// The distribution that predictions are judged by.
struct PredictedFamily {
  OutputFamily family;
  double noise = 1;  // standard deviation of a gaussian outcome; other families ignore it
};

// `eta` holds the linear predictors, in the outcome's own units, one per row. Empty `weights`:
// every row has weight 1.
PredictionQuality prediction_quality(const PredictedFamily& predicted, std::span<const double> eta,
                                     std::span<const double> outcomes,
                                     std::span<const double> weights = {});

// How a gate divides contexts among experts. alpha(x): the shares of the experts in context x;
// H: entropy.
struct GateUse {
  double entropy = 0;                    // mean over contexts of H(alpha(x)), in nats
  double effective_experts = 0;          // mean over contexts of exp H(alpha(x))
  double effective_experts_overall = 0;  // exp H(mean of alpha(x))
  std::vector<double> usage;             // mean of alpha(x), one entry per expert
};

// Computes GateUse from shares that are added context by context.
class GateUseCounter {
 public:
  void add(std::span<const double> alpha);  // shares of one context, one entry per expert
  GateUse result() const;                   // over all contexts added so far

 private:
  std::size_t count_ = 0;
  double entropy_ = 0;
  double exponentials_ = 0;
  std::vector<double> total_;
};

// Agreement of two segmentations of the same contexts, corrected for chance (Hubert & Arabie 1985):
// 1 when they are equal up to the names of the segments, about 0 when they are independent.
double adjusted_rand_index(std::span<const std::size_t> first, std::span<const std::size_t> second);

}  // namespace otss
