// What a fit returns, a model file holds and a server loads.
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

// The part of the outcome that no decision changes:
//   b(x) = intercept + slopes'x + sum_k alpha_k(x) expert_intercepts_k,      at factors equal to
//   their centres.
struct Baseline {
  double intercept = 0;
  std::vector<double> slopes;  // one per encoded context column; or per quadratic column of them
  std::vector<double> expert_intercepts;  // one per expert; none where there are no experts
  double noise = 1;                       // standard deviation of a gaussian outcome about its mean
};

struct NamedValue {
  std::string_view name;
  RawValue value;
};

// The weight of a factor, in the units of the log's own column.
struct NamedWeight {
  std::string factor;
  double weight = 0;

  bool operator==(const NamedWeight&) const = default;
};

// Immutable; copies share what they hold. Safe to use from several threads.
class Fitted {
 public:
  struct Parts;                  // the library's own
  explicit Fitted(Parts parts);  // throws Error(kInput) when sizes do not match

  Method method() const;
  Estimator estimator() const;
  OutputFamily family() const;
  const Encoder& encoder() const;
  const Roles& roles() const;
  const Baseline& baseline() const;
  bool mixes_probabilities() const;  // of the experts, instead of their linear predictors
  const FitReport& report() const;
  const Parts& parts() const { return *parts_; }

  const Scorer& scorer() const { return *scorer_; }
  bool has_weights() const { return map_ != nullptr; }
  const WeightMap& weight_map() const;  // throws Error(kInput) where a model has scores only
  const Mixture* mixture() const { return scorer().as_mixture(); }  // null: it has no experts
  int num_contexts() const { return scorer().num_contexts(); }      // p, encoded
  int num_factors() const { return scorer().num_factors(); }
  int num_experts() const;  // 0 where there are none
  std::vector<std::string> factor_names() const;

  // The same model with another record of where it comes from.
  Fitted with_report(FitReport report) const;

  // Named raw values, in any order, to the encoded context x (num_contexts() entries), such as
  // {{"region", "north"}, {"age", 41}}. A name that is missing or unknown is an Error, as is a text
  // for a column of numbers. Does not allocate unless it throws.
  void encode(std::span<const NamedValue> row, std::span<double> x) const;
  void encode(std::initializer_list<NamedValue> row, std::span<double> x) const {
    encode(std::span(row.begin(), row.size()), x);
  }

  // Weights of one encoded context in the units of the log's own columns. Does not allocate.
  void weights(std::span<const double> x, std::span<double> w) const { weight_map().weights(x, w); }

  // By name: weights of a context given as raw values, weights of an expert (k from 0), and how much
  // of each expert's a context's weights are. The last two throw Error(kUsage) where there are no
  // experts.
  std::vector<NamedWeight> weights(std::span<const NamedValue> row) const;
  std::vector<NamedWeight> expert(int k) const;
  std::vector<double> shares(std::span<const NamedValue> row) const;

  // What the weights might be besides what is deployed; has_uncertainty() says whether that is
  // known, else an Error(kInput) says for which models it is.
  bool has_uncertainty() const;
  const Uncertainty& uncertainty() const;

  // lo_j <= w_j(x) <= hi_j with confidence `level`: for each factor by itself, or with
  // Coverage::kAllFactors for all of them together.
  void intervals(std::span<const double> x, double level, std::span<double> lo,
                 std::span<double> hi, Coverage coverage = {}) const;

  // The same for `rows` contexts: x is rows × p, lo and hi are rows × J. 0 threads: all cores.
  void intervals(std::size_t rows, std::span<const double> x, double level, std::span<double> lo,
                 std::span<double> hi, Coverage coverage, int num_threads) const;

  // The linear predictor of the outcome for a decision with factors z (in the log's units).
  double predictor(std::span<const double> x, std::span<const double> z) const;

  // The same for factors as a log holds them, standardised by this model's encoder:
  // (z - center) / scale.
  double standardised_predictor(std::span<const double> x, std::span<const double> z) const;

 private:
  std::vector<NamedWeight> named(std::span<const double> w) const;
  void require_experts() const;

  std::shared_ptr<const Parts> parts_;
  const Scorer* scorer_;  // the one in parts_
  const WeightMap* map_;  // the same, where it is one
};

}  // namespace otss
