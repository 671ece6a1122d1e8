#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/clustered_interval.hpp"
#include "model/calibration.hpp"
#include "model/rows_by_eta.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss::internal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Holds the rows of one evaluation, and computes the influence of each row on each measure of
// quality. The influence is the derivative of the measure with respect to the row's weight, times
// this weight.
class EvaluatedQuality {
 public:
  EvaluatedQuality(const PredictedFamily& predicted, std::span<const double> eta,
                   std::span<const double> outcomes, std::span<const double> weights)
      : predicted_(predicted),
        family_(predicted.family),
        eta_(eta),
        outcomes_(outcomes),
        weights_(weights),
        quality_(prediction_quality(predicted, eta, outcomes, weights)) {
    for (std::size_t i = 0; i < eta.size(); ++i) {
      total_ += weight(i);
      mean_outcome_ += weight(i) * outcomes[i];
    }
    mean_outcome_ /= total_;
  }

  const PredictionQuality& quality() const { return quality_; }

  Influence of_log_loss() const {
    return of_mean(quality_.log_loss,
                   [this](std::size_t i) { return predicted_.log_loss(i, eta_[i], outcomes_[i]); });
  }
  Influence of_squared_error() const {
    return of_mean(quality_.squared_error, [this](std::size_t i) {
      const double error = family_.mean(eta_[i]) - outcomes_[i];
      return error * error;
    });
  }
  Influence of_deviance() const {
    return of_mean(quality_.deviance,
                   [this](std::size_t i) { return 2 * family_.loss(eta_[i], outcomes_[i]); });
  }

  // The measure is 1 - D / D0, where D is the deviance of the predictions and D0 the deviance of
  // the mean outcome. The mean outcome minimises D0, so a small change of this mean does not change
  // D0.
  Influence of_explained() const {
    const auto constant_loss = [this, constant_eta = family_.link(mean_outcome_)](std::size_t i) {
      return 2 * family_.loss(constant_eta, outcomes_[i]);
    };
    double constant = 0;
    for (std::size_t i = 0; i < eta_.size(); ++i) constant += weight(i) * constant_loss(i) / total_;
    return [ratio = quality_.deviance / constant, constant,
            of_constant = of_mean(constant, constant_loss), of_deviance = of_deviance()](
               std::size_t i) { return (ratio * of_constant(i) - of_deviance(i)) / constant; };
  }

  // The area under the curve is a mean over pairs of a row with outcome 1 and a row with outcome 0.
  // The influence of a row is computed from the mean over its own pairs minus the area (DeLong et
  // al. 1988).
  Influence of_auc() const {
    const std::vector<std::uint32_t> order = rows_by_eta(eta_);
    const double ones = mean_outcome_ * total_;
    const double zeros = total_ - ones;
    std::vector<double> influence(eta_.size(), 0.0);
    double ones_below = 0;
    double zeros_below = 0;
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
      double tied_ones = 0;
      double tied_zeros = 0;
      for (; end < order.size() && eta_[order[end]] == eta_[order[first]]; ++end)
        (is_one(order[end]) ? tied_ones : tied_zeros) += weight(order[end]);
      const double wins = (zeros_below + tied_zeros / 2) / zeros;
      const double losses = (ones - ones_below - tied_ones / 2) / ones;
      for (std::size_t t = first; t < end; ++t) {
        const std::size_t i = order[t];
        influence[i] = weight(i) *
                       (is_one(i) ? (wins - quality_.auc) / ones : (losses - quality_.auc) / zeros);
      }
      ones_below += tied_ones;
      zeros_below += tied_zeros;
    }
    return [influence = std::move(influence)](std::size_t i) { return influence[i]; };
  }

  Influence of_calibration_slope() const {
    const CalibrationLine line = calibration(family_, eta_, outcomes_, weights_);
    const double determinant =
        line.curvature_aa * line.curvature_bb - line.curvature_ab * line.curvature_ab;
    return [this, line, determinant](std::size_t i) {
      const double residual =
          weight(i) * family_.slope(line.intercept + line.slope * eta_[i], outcomes_[i]);
      return -residual * (line.curvature_aa * eta_[i] - line.curvature_ab) / determinant;
    };
  }

 private:
  double weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }
  bool is_one(std::size_t i) const { return outcomes_[i] > 0.5; }

  template <class Value>
  Influence of_mean(double mean, const Value& value) const {
    return [this, mean, value](std::size_t i) { return weight(i) * (value(i) - mean) / total_; };
  }

  PredictedFamily predicted_;
  OutputFamily family_;
  std::span<const double> eta_, outcomes_, weights_;
  PredictionQuality quality_;
  double total_ = 0, mean_outcome_ = 0;
};

// Returns the part of the interval that lies between `least` and `most`, the limits of the measure.
Bounds within(Bounds bounds, double least, double most) {
  if (std::isnan(bounds.lo)) return bounds;
  return {std::max(bounds.lo, least), std::min(bounds.hi, most)};
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

QualityIntervals quality_intervals(const PredictedFamily& predicted, std::span<const double> eta,
                                   std::span<const double> outcomes,
                                   std::span<const double> weights,
                                   std::span<const std::uint32_t> units, double level) {
  const EvaluatedQuality rows(predicted, eta, outcomes, weights);
  const PredictionQuality& quality = rows.quality();
  const auto interval = [&](double measure, const Influence& influence) {
    if (std::isnan(measure)) return Bounds{measure, measure};
    return clustered_interval(measure, eta.size(), influence, units, level);
  };
  // Densities of gaussian outcomes can exceed 1, so only their log-loss can be negative.
  const double least_loss = predicted.family == OutputFamily::kGaussian ? -kInfinite : 0;
  const bool has_auc = !std::isnan(quality.auc);
  const bool varies = !std::isnan(quality.explained);
  return {
      .log_loss = within(interval(quality.log_loss, rows.of_log_loss()), least_loss, kInfinite),
      .squared_error =
          within(interval(quality.squared_error, rows.of_squared_error()), 0, kInfinite),
      .deviance = within(interval(quality.deviance, rows.of_deviance()), 0, kInfinite),
      .explained = within(interval(quality.explained, varies ? rows.of_explained() : Influence()),
                          -kInfinite, 1),
      .auc = within(interval(quality.auc, has_auc ? rows.of_auc() : Influence()), 0, 1),
      .calibration_slope =
          interval(quality.calibration_slope, varies ? rows.of_calibration_slope() : Influence())};
}

}  // namespace otss
