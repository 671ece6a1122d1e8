// How sure a model is of its weights: what w(x) might be besides what is deployed. `learn`
// estimates it, the model file holds it, and deciding and serving need no trainer to use it.
#pragma once

#include <span>

namespace otss {

enum class Coverage : int {
  kEachFactor,  // each factor's interval covers at the level asked for
  kAllFactors   // all factors' intervals of a context cover together
};

// All in the units of the log's own columns. Safe to use from several threads.
class Uncertainty {
 public:
  virtual ~Uncertainty() = default;
  virtual int num_contexts() const = 0;
  virtual int num_factors() const = 0;
  virtual int num_draws() const = 0;

  // Draws of w(x) less the deployed weights, num_draws()×J, row per draw. Their mean is 0:
  // intervals lie about what is deployed. The same for every call.
  virtual void departures(std::span<const double> x, std::span<double> out) const = 0;

  // Bounds of w(x) less the deployed weights: lo <= 0 <= hi, level in (0, 1).
  void interval(std::span<const double> x, double level, Coverage coverage, std::span<double> lo,
                std::span<double> hi) const;

 protected:
  // Each factor by itself, from the context's departures.
  virtual void interval_of_each(std::span<const double> departures, double level,
                                std::span<double> lo, std::span<double> hi) const = 0;
};

}  // namespace otss
