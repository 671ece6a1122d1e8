// The estimation error of a model's weights. A fit estimates it and the model file stores it, so
// that intervals of weights and confidence statements about decisions can be computed without the
// log.
#pragma once

#include <span>

namespace otss {

// The highest confidence of an interval. More cannot be claimed: the tails of the estimates' spread
// are not known well enough, and a level so near 1 that its tail is rounded to 0 has no interval.
inline constexpr double kHighestConfidence = 0.999999;

// True if intervals can be computed for this level: above 0, at most kHighestConfidence.
constexpr bool is_confidence(double level) { return level > 0 && level <= kHighestConfidence; }

enum class Coverage : int {
  // The interval of each factor, by itself, covers its weight with the given confidence.
  kEachFactor,
  // The intervals of all factors of a context together cover the weights with that confidence.
  kAllFactors
};

// All values are in the units of the log's own columns. The functions can be called by several
// threads at once.
class Uncertainty {
 public:
  virtual ~Uncertainty() = default;
  virtual int num_contexts() const = 0;  // p, the number of encoded context columns
  virtual int num_factors() const = 0;   // J
  virtual int num_draws() const = 0;     // the number of rows of departures()

  // Computes draws of the true w(x) minus the model's w(x): num_draws() × J, one row per draw. The
  // mean of the draws is 0, so that intervals are centred at the model's weights. Every call gives
  // the same draws.
  virtual void departures(std::span<const double> x, std::span<double> out) const = 0;

  // Computes confidence bounds of the true w(x) minus the model's w(x): lo <= 0 <= hi, J entries
  // each. Precondition: is_confidence(level).
  void interval(std::span<const double> x, double level, Coverage coverage, std::span<double> lo,
                std::span<double> hi) const;

 protected:
  // Computes the bounds of each factor by itself from the departures of one context.
  virtual void interval_of_each(std::span<const double> departures, double level,
                                std::span<double> lo, std::span<double> hi) const = 0;
};

}  // namespace otss
