// This header measures how good a model's predictions are, and how the gate divides contexts among
// experts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "otss/base/bounds.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// This struct measures the quality of a model's predictions. All means are over rows. If rows have
// weights, the means are weighted.
struct PredictionQuality {
  double log_loss = 0;       // the mean of -log P(y)
  double squared_error = 0;  // the mean of (E y - y)²; for 0/1 outcomes, the Brier score
  double deviance = 0;  // the mean deviance of a row; equals squared_error for gaussian outcomes
  // 1 - deviance / (deviance if every row is predicted by the mean outcome). For gaussian outcomes
  // this is R². The value is NaN if all outcomes are equal.
  double explained = 0;
  // The area under the ROC curve, for 0/1 outcomes. The value is NaN for other outcomes, and if all
  // outcomes are equal.
  double auc = 0;
  // The slope of a regression of y on eta in the model's output family. A slope of 1 means that the
  // predictions are calibrated. A slope below 1 means that they are too extreme.
  double calibration_slope = 0;
};

// The distribution of the outcome, from which the loss of a prediction is computed.
struct PredictedFamily {
  OutputFamily family;
  double noise = 1;  // the standard deviation of a gaussian outcome; ignored by other families
  // -log P(y) of each row, where P is not the family's distribution at eta because it averages over
  // what is known about a unit. Empty means that the losses follow from eta and noise.
  std::span<const double> log_losses = {};

  // Returns -log P(y) of row i.
  double log_loss(std::size_t i, double eta, double outcome) const {
    return log_losses.empty() ? family.log_loss(eta, outcome, noise) : log_losses[i];
  }
};

// Computes the quality of predictions. `eta` has one linear predictor per row. For a gaussian
// family, `eta` is in the units of `outcomes`, not standardised. If `weights` is empty, every row
// has weight 1.
PredictionQuality prediction_quality(const PredictedFamily& predicted, std::span<const double> eta,
                                     std::span<const double> outcomes,
                                     std::span<const double> weights = {});

// Confidence intervals of the measures of PredictionQuality, for the population that the rows are
// drawn from. If a measure is not defined, the ends of its interval are NaN.
struct QualityIntervals {
  Bounds log_loss, squared_error, deviance, explained, auc, calibration_slope;
};

// Computes the intervals. Rows of one unit, such as a person, may depend on each other. `units` has
// the number of each row's unit, counted from 0 without gaps. If `units` is empty, all rows are
// independent.
QualityIntervals quality_intervals(const PredictedFamily& predicted, std::span<const double> eta,
                                   std::span<const double> outcomes,
                                   std::span<const double> weights,
                                   std::span<const std::uint32_t> units, double level);

// Rows with similar predictions. If the model is calibrated, the mean outcome of these rows differs
// from their mean prediction only by chance.
struct PredictionBin {
  std::size_t rows = 0;
  double predicted = 0;  // the mean predicted outcome of the rows
  double observed = 0;   // the mean outcome of the rows
  // The standard error of `observed`. It accounts for units, such as persons, whose rows depend on
  // each other. It is never smaller than the error that the output family implies, so that it is
  // not 0 for rows that all have the same outcome.
  double standard_error = 0;

  // Returns the part of observed ± z · standard_error that means of this family can have, where z
  // is the quantile of the normal distribution for confidence `level`.
  Bounds interval(OutputFamily family, double level) const;
};

// Divides the rows, in the order of their predictions, into at most 10 bins of about equal weight.
// A bin has at least 30 rows, and rows with equal predictions are in the same bin. The arguments
// are those of quality_intervals.
std::vector<PredictionBin> calibration_bins(const PredictedFamily& predicted,
                                            std::span<const double> eta,
                                            std::span<const double> outcomes,
                                            std::span<const double> weights = {},
                                            std::span<const std::uint32_t> units = {});

// This struct describes how a gate divides contexts among experts. alpha(x) are the shares of the
// experts in context x, and H is the entropy.
struct GateUse {
  double entropy = 0;                    // the mean of H(alpha(x)) over contexts, in nats
  double effective_experts = 0;          // the mean of exp(H(alpha(x))) over contexts
  double effective_experts_overall = 0;  // exp(H(a)), where a is the mean of alpha(x) over contexts
  std::vector<double> usage;             // the mean of alpha(x) over contexts, one entry per expert
};

// Computes GateUse from shares that are added context by context.
class GateUseCounter {
 public:
  void add(std::span<const double> alpha);  // adds the shares of one context, one entry per expert
  GateUse result() const;                   // returns the GateUse of all contexts added so far

 private:
  std::size_t count_ = 0;
  double entropy_ = 0;
  double exponentials_ = 0;
  std::vector<double> total_;
};

// Returns the agreement of two segmentations of the same contexts, corrected for chance (Hubert &
// Arabie 1985). The agreement is 1 if the segmentations are equal up to the names of the segments,
// and about 0 if the segmentations are independent.
double adjusted_rand_index(std::span<const std::size_t> first, std::span<const std::size_t> second);

}  // namespace otss
