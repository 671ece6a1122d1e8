// The distribution of the outcome y given the linear predictor eta: its mean and its loss.
//
//   bernoulli   y in {0, 1}       mean = 1 / (1 + exp(-eta))
//   gaussian    y real            mean = eta                    variance 1 (*)
//   poisson     y = 0, 1, 2, …    mean = exp(eta)
//
// (*) Learners standardise a gaussian outcome before they fit it.
//
// The loss is half the unit deviance: -log P(y), minus the smallest -log P(y) that any eta gives
// for this y. It is never negative; for 0/1 outcomes it equals -log P(y). Compared with -log P(y),
// it omits a constant that would be large for large counts and would cost digits.
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
  bool allows(double outcome) const;  // whether the outcome is one of the family's values
  const char* allowed() const;        // those values in words, such as "0 or 1"

  double loss(double eta, double outcome) const;
  double slope(double eta, double outcome) const;  // d loss / d eta
  double curvature(double eta) const;  // expected d² loss / d eta²: the variance of the outcome
  double mean(double eta) const;       // finite for every finite eta
  double link(double mean) const;      // the eta of a mean inside the family's range

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
