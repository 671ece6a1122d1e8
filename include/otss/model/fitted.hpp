// What a fit returns, a model file holds and a server loads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"
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

// Linear predictor of the outcome, from factors z counted from their centres. `mixes_probabilities`
// averages the experts' probabilities (as an EM mixture does) instead of their linear predictors.
double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z);

struct NamedValue {
  std::string_view name;
  RawValue value;
};

class Fitted {
 public:
  struct Parts {
    std::string method, estimator, family;
    Encoder encoder;
    Roles roles;
    std::shared_ptr<const Scorer> scorer;  // a WeightMap for all but boosted trees
    Baseline baseline;
    std::shared_ptr<const Uncertainty> uncertainty = nullptr;  // of the weights; null: not known
    std::string
        provenance;  // a JSON object: options, data, what was tried, what was chosen and why
  };
  explicit Fitted(Parts parts);  // throws Error(kInput) when sizes do not match

  const std::string& method() const { return parts_.method; }
  const std::string& estimator() const { return parts_.estimator; }
  const std::string& family() const { return parts_.family; }
  const Encoder& encoder() const { return parts_.encoder; }
  const Roles& roles() const { return parts_.roles; }
  const Baseline& baseline() const { return parts_.baseline; }
  const std::string& provenance() const { return parts_.provenance; }

  const Scorer& scorer() const { return *parts_.scorer; }
  bool has_weights() const { return map_ != nullptr; }
  const WeightMap& weight_map() const;  // throws Error(kInput) where a model has scores only
  const SoftMixture* mixture() const;   // null for a weight map of another kind
  int num_contexts() const { return parts_.scorer->num_contexts(); }  // p, encoded
  int num_factors() const { return parts_.scorer->num_factors(); }
  std::vector<std::string> factor_names() const;

  // The same model with another record of where it comes from.
  Fitted with_provenance(std::string provenance) const;

  // Named raw values, in any order, to the encoded context x (num_contexts() entries). A name that
  // is missing or unknown is an Error. Does not allocate unless it throws.
  void encode(std::span<const NamedValue> row, std::span<double> x) const;

  // Weights of one encoded context in the units of the log's own columns. Does not allocate.
  void weights(std::span<const double> x, std::span<double> w) const { weight_map().weights(x, w); }

  // What the weights might be besides what is deployed; has_uncertainty() says whether that is
  // known, else an Error(kInput) says for which models it is.
  bool has_uncertainty() const { return parts_.uncertainty != nullptr; }
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

 private:
  Parts parts_;
  const WeightMap* map_ = nullptr;  // the scorer, where it is one
};

}  // namespace otss
