// An OutputFamily is the distribution of the outcome y given the linear predictor eta. It defines
// the mean and the loss of y.
//
//   bernoulli   y in {0, 1}       mean = 1 / (1 + exp(-eta))
//   gaussian    y real            mean = eta                    variance 1 (*)
//   poisson     y = 0, 1, 2, …    mean = exp(eta)
//
// (*) A gaussian outcome is standardised before a model is fitted to it.
//
// The loss is half the unit deviance: -log P(y) minus the smallest -log P(y) that any eta gives for
// this y. The loss is never negative. For 0/1 outcomes the loss equals -log P(y). For large
// counts, -log P(y) contains a large constant, which would cost digits of precision; the loss does
// not contain this constant.
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
  std::string name() const;           // returns "bernoulli", "gaussian" or "poisson"
  OutcomeKind outcome_kind() const;   // returns which outcomes read_log accepts for this family
  bool allows(double outcome) const;  // returns true if the family allows this outcome
  const char* allowed() const;        // returns the allowed outcomes in words, such as "0 or 1"

  double loss(double eta, double outcome) const;
  double slope(double eta, double outcome) const;  // returns d loss / d eta
  // Returns the expected value of d² loss / d eta², which equals the variance of the outcome.
  double curvature(double eta) const;
  double mean(double eta) const;  // returns the mean of the outcome, finite for every finite eta
  // Returns the eta that gives this mean. The mean must be inside the range of the family.
  double link(double mean) const;

  // Returns -log P(y), or for a gaussian outcome -log of the density. `noise` is the standard
  // deviation of a gaussian outcome, in the units of eta and outcome. Other families ignore
  // `noise`. If `noise` is 1, the result differs from loss() by a number that does not depend on
  // eta.
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
