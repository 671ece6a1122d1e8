// An Uncertainty is the estimation error of a model's weights. A fit estimates this error and the
// model file stores it. So intervals of weights, and confidence statements about decisions, can be
// computed without the log.
#pragma once

#include <span>
#include <vector>

#include "otss/base/bounds.hpp"

namespace otss {

// The highest confidence that an interval can have. The tails of the estimation error are not known
// well enough to claim more. A level that is closer to 1 could also be rounded to 1, and then the
// interval would be infinite.
inline constexpr double kHighestConfidence = 0.999999;

// Returns true if intervals of this confidence level can be computed.
constexpr bool is_confidence(double level) { return level > 0 && level <= kHighestConfidence; }

enum class Coverage : int {
  // With the given confidence, the interval of one factor covers the weight of this factor.
  kEachFactor,
  // With the given confidence, the intervals of all factors of a context cover all their weights.
  kAllFactors
};

// Says how the linear predictor eta of one row changes with the experts of a mixture. Both lists
// have one entry per expert.
struct ExpertEffects {
  std::vector<double> by_score;      // derivative of eta with respect to the expert's gate score
  std::vector<double> by_predictor;  // derivative of eta with respect to the expert's own eta
};

// All numbers are in the units of the log's own columns. Several threads can call the functions at
// once.
class Uncertainty {
 public:
  virtual ~Uncertainty() = default;
  virtual int num_contexts() const = 0;  // returns p, the number of encoded context columns
  virtual int num_factors() const = 0;   // returns J, the number of factors
  virtual int num_draws() const = 0;     // returns the number of draws that departures() writes

  // Computes random draws of the difference between the true w(x) and the model's w(x). `out` has
  // num_draws() × J entries, one row per draw. The mean of the draws is 0, so that intervals are
  // centred at the model's weights. Every call gives the same draws.
  void departures(std::span<const double> x, std::span<double> out) const;

  // Computes draws of the error of a linear combination of weights: the sum over rows of
  // coefficients[row] times the difference between the true and the model's w(x of the row). `x` is
  // rows × p, `coefficients` has one entry per row, and `out` is as in departures(). A mean of w(x)
  // over contexts is such a combination, and so is a difference of two means.
  virtual void combined_departures(std::span<const double> x, std::span<const double> coefficients,
                                   std::span<double> out) const = 0;

  // Computes draws of the error of the baseline b(x) and of w(x) together. `out` has num_draws()
  // rows of 1 + J entries: first the error of b(x), then a row of departures(x). The error of b(x)
  // is 0 unless knows_baseline(). `effects` are those of the model's experts, for a decision
  // whose factors all equal their centres.
  virtual void joint_departures(std::span<const double> x, const ExpertEffects& effects,
                                std::span<double> out) const = 0;

  // Returns true if the estimation error of the baseline is known, too, which predictor_interval()
  // needs. Model files of older versions of otss have only the error of the weights.
  virtual bool knows_baseline() const = 0;

  // Returns confidence bounds of the true linear predictor eta minus the model's eta, in context x:
  // lo <= 0 <= hi. `centered_z` has the factors of a decision minus the centres of the factors
  // (FactorColumn::center). `effects` are those of the model's experts in this row. Preconditions:
  // knows_baseline() and is_confidence(level).
  virtual Bounds predictor_interval(std::span<const double> x, std::span<const double> centered_z,
                                    const ExpertEffects& effects, double level) const = 0;

  // Computes confidence bounds of the true w(x) minus the model's w(x): lo <= 0 <= hi, J entries
  // each. Precondition: is_confidence(level).
  void interval(std::span<const double> x, double level, Coverage coverage, std::span<double> lo,
                std::span<double> hi) const;

  // Computes the bounds that given draws of errors have: lo <= 0 <= hi. `departures` has one row
  // per draw, with as many columns as lo and hi have entries. Precondition: is_confidence(level).
  void interval_of(std::span<const double> departures, double level, Coverage coverage,
                   std::span<double> lo, std::span<double> hi) const;

 protected:
  // Computes the bounds of interval_of() for Coverage::kEachFactor.
  virtual void interval_of_each(std::span<const double> departures, double level,
                                std::span<double> lo, std::span<double> hi) const = 0;
};

}  // namespace otss
