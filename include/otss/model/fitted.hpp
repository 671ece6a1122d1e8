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

// The part of the outcome that no decision changes:
//   b(x) = intercept + slopes'x + sum_k alpha_k(x) expert_intercepts_k,      at factors equal to
//   their centres.
struct Baseline {
  double intercept = 0;
  std::vector<double> slopes;             // one per encoded context column
  std::vector<double> expert_intercepts;  // one per expert
  double noise = 1;                       // standard deviation of a gaussian outcome about its mean
};

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
    std::shared_ptr<const SoftMixture> mixture;
    Baseline baseline;
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

  const WeightMap& weight_map() const { return *parts_.mixture; }
  const SoftMixture& mixture() const { return *parts_.mixture; }
  int num_contexts() const { return parts_.mixture->num_contexts(); }  // p, encoded
  int num_factors() const { return parts_.mixture->num_factors(); }
  std::vector<std::string> factor_names() const;

  // Named raw values, in any order, to the encoded context x (num_contexts() entries). A name that
  // is missing or unknown is an Error. Does not allocate unless it throws.
  void encode(std::span<const NamedValue> row, std::span<double> x) const;

  // Weights of one encoded context in the units of the log's own columns. Does not allocate.
  void weights(std::span<const double> x, std::span<double> w) const {
    parts_.mixture->weights(x, w);
  }

  // The linear predictor of the outcome for a decision with factors z (in the log's units).
  double predictor(std::span<const double> x, std::span<const double> z) const;

 private:
  Parts parts_;
};

}  // namespace otss
