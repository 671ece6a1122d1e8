// The loss of an outcome whose predictor is uncertain.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/units/unit_moments.hpp"

namespace otss::internal {

// Computes -log P(y), where P averages over a normal distribution of the predictor. One thread at a
// time can use an object.
class AveragedLoss {
 public:
  // `noise` is the standard deviation of a gaussian outcome; other families ignore it.
  AveragedLoss(OutputFamily family, double noise)
      : family_(family),
        log_noise_(family == OutputFamily::kGaussian ? std::log(noise) : 0),
        moments_(family, noise, 1) {}

  // The predictor has this mean and this variance. The row is a unit with one row and one
  // coordinate, whose log evidence is exact.
  double at(double mean, double variance, double outcome) {
    const double direction = std::sqrt(std::max(0.0, variance));
    moments_.clear();
    moments_.add({{&direction, 1}, {&mean, 1}, {&outcome, 1}});
    moments_.compute();
    // log_loss() minus loss() is the part of -log P(y) that does not depend on the predictor.
    return family_.log_loss(0, outcome) - family_.loss(0, outcome) + log_noise_ -
           moments_.log_evidence(0);
  }

 private:
  OutputFamily family_;
  double log_noise_;
  UnitMoments moments_;
};

}  // namespace otss::internal
