// The estimation error of a model's weights. `learn` estimates it and the model file stores it, so
// that intervals and certificates can be computed without the log.
#pragma once

#include <span>

namespace otss {

enum class Coverage : int {
  kEachFactor,  // the interval of each factor covers its weight with the given confidence
  kAllFactors   // the intervals of one context cover all its weights together with that confidence
};

// All values are in the units of the log's own columns. Safe to use from several threads.
class Uncertainty {
 public:
  virtual ~Uncertainty() = default;
  virtual int num_contexts() const = 0;  // p: encoded context columns
  virtual int num_factors() const = 0;   // J
  virtual int num_draws() const = 0;     // rows of departures()

  // Draws of the true w(x) minus the deployed w(x): num_draws()×J, one row per draw. Their mean is
  // 0, so that intervals are centred at the deployed weights. Every call gives the same draws.
  virtual void departures(std::span<const double> x, std::span<double> out) const = 0;

  // Confidence bounds of the true w(x) minus the deployed w(x): lo <= 0 <= hi, J entries each.
  // `level` is between 0 and 1.
  void interval(std::span<const double> x, double level, Coverage coverage, std::span<double> lo,
                std::span<double> hi) const;

 protected:
  // The bounds of each factor by itself, computed from the departures of one context.
  virtual void interval_of_each(std::span<const double> departures, double level,
                                std::span<double> lo, std::span<double> hi) const = 0;
};

}  // namespace otss
