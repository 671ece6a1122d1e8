// How good a model's predictions are, and how its gate is used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/model/output_family.hpp"

namespace otss {

struct PredictionQuality {
  double log_loss = 0;       // mean of -log P(y)
  double squared_error = 0;  // mean of (E y - y)²: the Brier score of 0/1 outcomes
  double deviance = 0;       // mean unit deviance; of gaussian outcomes the squared error
  // Share of the deviance from the mean outcome that the predictions explain: R² of gaussian
  // outcomes. NaN when only one outcome occurs.
  double explained = 0;
  double auc = 0;  // of 0/1 outcomes; NaN for others, and when only one outcome occurs
  double calibration_slope =
      0;  // of the family's regression of y on the predictor; 1 is calibrated, below 1 overfit
};

// What predictions are made of: the family, and the noise of a gaussian outcome.
struct PredictedFamily {
  OutputFamily family;
  double noise = 1;
};

// `eta`: linear predictors, in the outcome's own units; `weights` empty: all one.
PredictionQuality prediction_quality(const PredictedFamily& predicted, std::span<const double> eta,
                                     std::span<const double> outcomes,
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

// How far two segmentations of the same contexts agree beyond chance: 1 when they are the same up
// to names, about 0 when they have nothing to do with each other (Hubert & Arabie 1985).
double adjusted_rand_index(std::span<const std::size_t> first, std::span<const std::size_t> second);

}  // namespace otss
