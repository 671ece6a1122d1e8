// A Fitted is a fitted model. A fit returns a Fitted, a model file stores it, and a program that
// makes decisions loads it.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/bounds.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/method.hpp"
#include "otss/model/output_family.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

class Uncertainty;  // declared in otss/model/uncertainty.hpp
enum class Coverage : int;
struct Deviations;  // declared in otss/model/units.hpp
struct UnitBelief;  // declared in otss/model/units.hpp

// The part of eta that does not depend on the decision:
//
//   b(x) = intercept + slopes'x + sum_k alpha_k(x) expert_intercepts_k
//
// b(x) is the value of eta for a decision whose factors all equal their centres.
struct Baseline {
  double intercept = 0;
  // A model with a quadratic gate has one slope per monomial of the context (quadratic.hpp). All
  // other models have one slope per encoded context column.
  std::vector<double> slopes;
  std::vector<double> expert_intercepts;  // one intercept per expert; empty without experts
  double noise = 1;  // the standard deviation of a gaussian outcome about its mean
};

// The value of one context column.
struct NamedValue {
  std::string_view name;
  RawValue value;
};

// The weight of one factor, in the units of the log's own column.
struct NamedWeight {
  std::string factor;
  double weight = 0;

  bool operator==(const NamedWeight&) const = default;
};

// A fitted model. A Fitted is immutable. Copying a Fitted is cheap, because copies share their
// contents. Several threads can use the same Fitted at once.
class Fitted {
 public:
  struct Parts;                  // internal to the library (src/model/fitted_parts.hpp)
  explicit Fitted(Parts parts);  // throws Error(kInput) if the sizes of the parts do not match

  Method method() const;
  Estimator estimator() const;
  OutputFamily family() const;
  const Encoder& encoder() const;  // the encoder that converts raw context columns to x
  const Roles& roles() const;  // the roles of the columns of the log that the model was fitted on
  const Baseline& baseline() const;  // the part of eta that does not depend on the decision
  // Returns true if a prediction is the average of the experts' probabilities, and false if it is
  // the average of their linear predictors eta.
  bool mixes_probabilities() const;
  // Returns how much units, such as customers, differ from the population. Returns null if the model
  // was fitted without units.
  const Deviations* deviations() const;
  const FitReport& report() const;  // the report, which says how the model was fitted and chosen
  const Parts& parts() const { return *parts_; }  // only for code inside the library

  // The part of the model that computes the score of (x, z).
  const Scorer& scorer() const { return *scorer_; }
  bool has_weights() const { return map_ != nullptr; }  // returns false for boosted trees
  const WeightMap& weight_map() const;  // throws Error(kInput) for a model without weights
  // Returns the model's mixture of experts, or null if the model has no experts.
  const Mixture* mixture() const { return scorer().as_mixture(); }
  // Returns p, the number of encoded context columns.
  int num_contexts() const { return scorer().num_contexts(); }
  int num_factors() const { return scorer().num_factors(); }  // returns J, the number of factors
  int num_experts() const;                        // returns K, or 0 for a model without experts
  std::vector<std::string> factor_names() const;  // returns J names, in the order of the weights

  // Returns a copy of this model with another report.
  Fitted with_report(FitReport report) const;

  // Encodes a context. `row` has named raw values, such as {{"region", "north"}, {"age", 41}}, in
  // any order. x has num_contexts() entries. Throws Error(kInput) if a column is not given, if a
  // name is unknown, or if a text is given for a number column or a number for a text column. The
  // function allocates memory only if it throws.
  void encode(std::span<const NamedValue> row, std::span<double> x) const;
  void encode(std::initializer_list<NamedValue> row, std::span<double> x) const {
    encode(std::span(row.begin(), row.size()), x);
  }

  // Computes the J weights w(x) of one encoded context, in the units of the log's own columns.
  // Throws Error(kInput) if the model has no weights. WeightMap::weights says when this function
  // allocates memory.
  void weights(std::span<const double> x, std::span<double> w) const { weight_map().weights(x, w); }

  // Computes the weights of a unit in a context: w(x) plus the mean deviation of the unit. `unit`
  // may be null (UnitBelief).
  void weights(std::span<const double> x, const UnitBelief* unit, std::span<double> w) const;

  // Returns the weights in a context that is given as raw values. Each weight has the name of its
  // factor.
  std::vector<NamedWeight> weights(std::span<const NamedValue> row) const;
  // Returns the weights of expert k, where k is from 0 to num_experts() - 1. Throws Error(kUsage)
  // if there is no such expert.
  std::vector<NamedWeight> expert(int k) const;
  // Returns the shares alpha_k(x) of the experts in a context. The shares sum to 1. Throws
  // Error(kUsage) if the model has no experts.
  std::vector<double> shares(std::span<const NamedValue> row) const;

  // uncertainty() returns the estimation error of the weights. has_uncertainty() says whether the
  // model knows this error. For a model that does not know it, uncertainty() and intervals() throw
  // an Error(kInput) that says which models have intervals.
  bool has_uncertainty() const;
  const Uncertainty& uncertainty() const;

  // Returns false if the model's own checks say that the log does not determine the weights of single
  // contexts (WeightChecks::determined): neither their differences nor, for one trade-off, that there
  // are none. Then no decision is certified.
  bool knows_differences() const;

  // Returns draws of the difference between the true weights of a unit and its weights(x, unit, w),
  // draws × J. The draws have the estimation error of w(x) and the uncertainty about the unit. For
  // a null unit these are the draws of Uncertainty::departures. Throws as uncertainty() does.
  std::vector<double> departures(std::span<const double> x, const UnitBelief* unit) const;

  // Computes confidence intervals of the weights of one encoded context: lo_j <= w_j(x) <= hi_j
  // with confidence `level`. By default, `level` holds for each factor by itself. With
  // Coverage::kAllFactors, it holds for all factors together. If `unit` is given, the intervals are
  // those of the weights of this unit. Throws Error(kUsage) unless is_confidence(level).
  void intervals(std::span<const double> x, double level, std::span<double> lo,
                 std::span<double> hi, Coverage coverage = {},
                 const UnitBelief* unit = nullptr) const;

  // Computes the intervals of `rows` contexts: x is rows × p, lo and hi are rows × J. `units` has
  // the unit of each row, or is empty. num_threads = 0 means all cores.
  void intervals(std::size_t rows, std::span<const double> x, double level, std::span<double> lo,
                 std::span<double> hi, Coverage coverage, int num_threads,
                 std::span<const UnitBelief* const> units = {}) const;

  // Returns true if expert_intervals() can be computed.
  bool has_expert_intervals() const;

  // Computes confidence intervals of the weights of each expert: lo_kj <= beta_kj <= hi_kj with
  // confidence `level`, for each number by itself. These are also the intervals of the weights in a
  // context in which this expert has all of the share. lo and hi are K × J. Throws Error(kInput) if
  // the model knows no uncertainty, or if it is an average of many draws, whose experts are not
  // shown one by one.
  void expert_intervals(double level, std::span<double> lo, std::span<double> hi) const;

  // Returns the linear predictor eta of the outcome in context x, for a decision with factors z (in
  // the log's units). family().mean(eta) is the expected outcome. If the model knows deviations of
  // units, the expected outcome is the average over what is known about the unit; without `unit`,
  // it is the average over all units.
  double predictor(std::span<const double> x, std::span<const double> z,
                   const UnitBelief* unit = nullptr) const;

  // Returns the mean outcome in context x, for a decision with factors z (in the log's units): a
  // probability, a mean or an expected count, as the output family says.
  double mean(std::span<const double> x, std::span<const double> z,
              const UnitBelief* unit = nullptr) const {
    return family().mean(predictor(x, z, unit));
  }

  // Returns -log P(outcome), or for a gaussian outcome -log of the density, in context x, for a
  // decision with factors z (in the log's units). If the model knows deviations of units, P
  // averages over what is known about the unit, as in predictor().
  double log_loss(std::span<const double> x, std::span<const double> z, double outcome,
                  const UnitBelief* unit = nullptr) const;

  // Returns true if mean_interval() can be computed. Otherwise mean_interval() throws an
  // Error(kInput) that says what to do.
  bool has_mean_intervals() const;

  // Returns a confidence interval of the mean outcome: lo <= E y <= hi with confidence `level`. The
  // mean outcome is the mean over many decisions like this one, so a single outcome may lie
  // outside. If `unit` is given, the interval is that of this unit's mean outcome. Throws
  // Error(kUsage) unless is_confidence(level).
  Bounds mean_interval(std::span<const double> x, std::span<const double> z, double level,
                       const UnitBelief* unit = nullptr) const;

  // Returns the linear predictor for standardised factors. A standardised factor is
  // (z - center) / scale, where center and scale are those of this model's encoder. LoggedData
  // stores factors in this form. Deviations of units are left out: this is the predictor of the
  // population.
  double standardised_predictor(std::span<const double> x, std::span<const double> z) const;

 private:
  std::vector<NamedWeight> named(std::span<const double> w) const;
  // Returns z minus the centres of the factors if the model has weights. Returns z itself if the
  // model has boosted trees.
  std::vector<double> centered(std::span<const double> z) const;
  void require_experts() const;

  std::shared_ptr<const Parts> parts_;
  const Scorer* scorer_;  // points to the scorer inside parts_
  const WeightMap* map_;  // the scorer as a weight map; null if the model has no weights
};

}  // namespace otss
