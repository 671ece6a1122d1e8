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

#include <array>
#include <string>

#include "otss/base/options.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

class OutputFamily {
 public:
  enum Kind { kBernoulli, kGaussian, kPoisson };
  constexpr OutputFamily(Kind kind = kBernoulli)
      : kind_(kind) {}  // NOLINT(google-explicit-constructor): a kind is a family

  Kind kind() const { return kind_; }
  std::string name() const;
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

  constexpr bool operator==(const OutputFamily&) const = default;

 private:
  Kind kind_;
};

constexpr auto word_table(OutputFamily) {
  return std::to_array<WordOf<OutputFamily>>({{OutputFamily::kBernoulli, "bernoulli"},
                                              {OutputFamily::kGaussian, "gaussian"},
                                              {OutputFamily::kPoisson, "poisson"}});
}

}  // namespace otss
