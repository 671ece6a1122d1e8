// How good a model's predictions are, and how its gate is used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace otss {

struct PredictionQuality {
  double log_loss = 0;
  double brier = 0;
  double auc = 0;  // NaN when only one outcome occurs
  double calibration_slope =
      0;  // of the logistic regression of y on the predictor; 1 is calibrated, below 1 overfit
};

// `eta`: linear predictors; `outcomes`: 0 or 1; `weights` empty: all one.
PredictionQuality prediction_quality(std::span<const double> eta, std::span<const double> outcomes,
                                     std::span<const double> weights = {});

struct GateUse {
  double entropy = 0;                    // mean over contexts of H(alpha(x)), in nats
  double effective_experts = 0;          // mean over contexts of exp H(alpha(x))
  double effective_experts_overall = 0;  // exp H(mean of alpha(x))
  std::vector<double> usage;             // mean of alpha(x)
};

// Collects shares context by context.
class GateUseCounter {
 public:
  void add(std::span<const double> alpha);
  GateUse result() const;

 private:
  std::size_t count_ = 0;
  double entropy_ = 0;
  double exponentials_ = 0;
  std::vector<double> total_;
};

}  // namespace otss
