// How the outcome follows from the linear predictor eta: its mean, and what a wrong prediction
// costs.
//
//   bernoulli   y in {0, 1}      mean = 1 / (1 + exp(-eta))
//   gaussian    y real           mean = eta             variance 1: learners standardise the
//   outcome poisson     y = 0, 1, 2, …   mean = exp(eta)
//
// The loss is half the unit deviance: -log P(y) less what the best prediction of this y would
// leave. It is never negative, for 0/1 outcomes it is -log P(y) itself, and large counts do not
// drown it in a constant that no prediction changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "otss/data/logged_data.hpp"

namespace otss {

class OutputFamily {
 public:
  enum Kind { kBernoulli, kGaussian, kPoisson };
  constexpr OutputFamily(Kind kind = kBernoulli)
      : kind_(kind) {}  // NOLINT(google-explicit-constructor): a kind is a family

  static const std::vector<std::string>& names();
  static bool knows(std::string_view name);
  static OutputFamily parse(std::string_view name);  // Error(kUsage) when it is none of names()

  Kind kind() const { return kind_; }
  const std::string& name() const { return names()[kind_]; }
  OutcomeKind outcome_kind() const;
  bool allows(double outcome) const;
  const char* allowed() const;  // in words

  double loss(double eta, double outcome) const;
  double slope(double eta, double outcome) const;  // d loss / d eta
  double curvature(double eta) const;  // expected d² loss / d eta²: the variance of the outcome
  double mean(double eta) const;       // finite for every finite eta
  double link(double mean) const;      // the eta of a mean inside the family's range

  // -log P(y), or of the density: loss plus what no prediction changes. `noise` is the standard
  // deviation of a gaussian outcome, in whose units eta and outcome are.
  double log_loss(double eta, double outcome, double noise = 1) const;

  bool operator==(const OutputFamily&) const = default;

 private:
  Kind kind_;
};

}  // namespace otss
