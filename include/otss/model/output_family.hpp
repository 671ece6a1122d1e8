// The distribution of the outcome y given the linear predictor eta: its mean and its loss.
//
//   bernoulli   y in {0, 1}       mean = 1 / (1 + exp(-eta))
//   gaussian    y real            mean = eta                    variance 1 (*)
//   poisson     y = 0, 1, 2, …    mean = exp(eta)
//
// (*) Learners standardise a gaussian outcome before they fit it.
//
// The loss is half the unit deviance: -log P(y), minus the smallest -log P(y) that any eta gives
// for this y. The loss is never negative; for 0/1 outcomes it equals -log P(y). In contrast to -log
// P(y), the loss leaves out a constant that is large for large counts and would cost digits.
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
  std::string name() const;           // "bernoulli", "gaussian" or "poisson"
  OutcomeKind outcome_kind() const;   // the outcomes that read_log accepts for this family
  bool allows(double outcome) const;  // true if the family allows this outcome
  const char* allowed() const;        // the allowed outcomes in words, such as "0 or 1"

  double loss(double eta, double outcome) const;
  double slope(double eta, double outcome) const;  // d loss / d eta
  // The expected d² loss / d eta², which equals the variance of the outcome.
  double curvature(double eta) const;
  double mean(double eta) const;  // the mean of the outcome; finite for every finite eta
  // The eta that has this mean, which must be inside the family's range.
  double link(double mean) const;

  // -log P(y), or -log of the density of a gaussian outcome. It differs from loss() by a constant
  // that does not depend on eta. `noise` is the standard deviation of a gaussian outcome, in the
  // units of eta and outcome; other families ignore it.
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
