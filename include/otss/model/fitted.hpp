// A fitted model: a fit returns it, a model file stores it, and a program that makes decisions
// loads it.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/method.hpp"
#include "otss/model/output_family.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

class Uncertainty;  // otss/model/uncertainty.hpp
enum class Coverage : int;

// The part of eta that does not depend on the decision:
//
//   b(x) = intercept + slopes'x + sum_k alpha_k(x) expert_intercepts_k
//
// It is the value of eta for a decision whose factors all equal their centres.
struct Baseline {
  double intercept = 0;
  // One slope per encoded context column, or one per column of the quadratic expansion of the
  // context.
  std::vector<double> slopes;
  std::vector<double> expert_intercepts;  // one per expert; empty for a model without experts
  double noise = 1;                       // standard deviation of a gaussian outcome about its mean
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

// A fitted model. It is immutable. Copying it is cheap, because copies share their contents. It can
// be used by several threads at once.
class Fitted {
 public:
  struct Parts;                  // internal to the library (src/model/fitted_parts.hpp)
  explicit Fitted(Parts parts);  // throws Error(kInput) if sizes do not match

  Method method() const;
  Estimator estimator() const;
  OutputFamily family() const;
  const Encoder& encoder() const;  // converts raw context columns to the encoded context x
  const Roles& roles() const;  // the roles of the columns of the log that the model was fitted on
  const Baseline& baseline() const;  // the part of eta that does not depend on the decision
  // True if the prediction averages the experts' probabilities; false if it averages their linear
  // predictors eta.
  bool mixes_probabilities() const;
  const FitReport& report() const;                // says how the model was fitted and chosen
  const Parts& parts() const { return *parts_; }  // internal to the library

  const Scorer& scorer() const { return *scorer_; }     // the model's map (x, z) -> score
  bool has_weights() const { return map_ != nullptr; }  // false for boosted trees
  const WeightMap& weight_map() const;  // throws Error(kInput) if the model has no weights
  // Null if the model has no experts.
  const Mixture* mixture() const { return scorer().as_mixture(); }
  // p, the number of encoded context columns.
  int num_contexts() const { return scorer().num_contexts(); }
  int num_factors() const { return scorer().num_factors(); }  // J
  int num_experts() const;                                    // K; 0 for a model without experts
  std::vector<std::string> factor_names() const;  // J names, in the order of the weights

  // Returns a copy of this model with another report.
  Fitted with_report(FitReport report) const;

  // Encodes a context given as named raw values, such as {{"region", "north"}, {"age", 41}}, in any
  // order. x has num_contexts() entries. A column that is not given, an unknown name, and a text
  // for a column of numbers (or a number for a text column) are an Error(kInput). The function does
  // not allocate unless it throws.
  void encode(std::span<const NamedValue> row, std::span<double> x) const;
  void encode(std::initializer_list<NamedValue> row, std::span<double> x) const {
    encode(std::span(row.begin(), row.size()), x);
  }

  // Computes the J weights w(x) of one encoded context, in the units of the log's own columns.
  // Throws Error(kInput) if the model has no weights. Does not allocate.
  void weights(std::span<const double> x, std::span<double> w) const { weight_map().weights(x, w); }

  // Returns the weights of a context that is given as raw values; each weight has the name of its
  // factor.
  std::vector<NamedWeight> weights(std::span<const NamedValue> row) const;
  // Returns the weights of expert k (0 to num_experts() - 1). Throws Error(kUsage) if there is no
  // such expert.
  std::vector<NamedWeight> expert(int k) const;
  // Returns the shares alpha_k(x) of the experts in a context; they sum to 1. Throws Error(kUsage)
  // if the model has no experts.
  std::vector<double> shares(std::span<const NamedValue> row) const;

  // The estimation error of the weights. If the model does not have it, uncertainty() and
  // intervals() throw an Error(kInput) that says which models have it.
  bool has_uncertainty() const;
  const Uncertainty& uncertainty() const;

  // Computes confidence intervals of the weights of one encoded context: lo_j <= w_j(x) <= hi_j
  // with confidence `level`; Error(kUsage) unless is_confidence(level). By default,
  // `level` holds for each factor by itself; with Coverage::kAllFactors, it holds for all factors
  // together.
  void intervals(std::span<const double> x, double level, std::span<double> lo,
                 std::span<double> hi, Coverage coverage = {}) const;

  // Computes the intervals of `rows` contexts: x is rows × p, lo and hi are rows × J.
  // num_threads = 0 means all cores.
  void intervals(std::size_t rows, std::span<const double> x, double level, std::span<double> lo,
                 std::span<double> hi, Coverage coverage, int num_threads) const;

  // Returns the linear predictor eta of the outcome in context x, for a decision with factors z (in
  // the log's units). family().mean(eta) is the expected outcome.
  double predictor(std::span<const double> x, std::span<const double> z) const;

  // Returns the linear predictor for standardised factors, (z - center) / scale with the center and
  // scale of this model's encoder. LoggedData stores factors in this form.
  double standardised_predictor(std::span<const double> x, std::span<const double> z) const;

 private:
  std::vector<NamedWeight> named(std::span<const double> w) const;
  void require_experts() const;

  std::shared_ptr<const Parts> parts_;
  const Scorer* scorer_;  // points into parts_
  const WeightMap* map_;  // the scorer as a weight map; null if the model has no weights
};

}  // namespace otss
