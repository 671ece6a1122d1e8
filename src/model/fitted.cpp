#include "otss/model/fitted.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_limit.hpp"
#include "model/fitted_parts.hpp"
#include "model/largest_number.hpp"
#include "model/maps/quadratic.hpp"
#include "model/predictor.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

void require_size(const char* what, std::size_t actual, std::size_t expected) {
  if (actual == expected) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the model's {} has {} entries, but should have {}; fit the model again",
                          what, actual, expected));
}

// Returns the value as the kind (number or text) that its column has. A missing value is converted
// to this kind. Any other value of the wrong kind is an Error.
RawValue in_kind_of(const ContextColumn& column, const RawValue& value) {
  if (value.kind == column.kind) return value;
  const bool is_text = value.kind == ColumnKind::kText;
  const bool missing = is_text ? value.text.data() == nullptr : std::isnan(value.number);
  if (!missing) {
    throw Error(ErrorCode::kInput, fmt::format("the context has {} in column '{}', but the model "
                                               "expects {}; give a value of that type",
                                               is_text ? "a text" : "a number", column.name,
                                               is_text ? "a number" : "a text"));
  }
  return is_text ? RawValue(std::numeric_limits<double>::quiet_NaN())
                 : RawValue(std::string_view());
}

void require_moderate_numbers(const Fitted::Parts& parts) {
  const double largest = std::max(largest_number(parts.scorer), largest_number(parts.baseline));
  if (largest <= kLargestNumber) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the model has a number of the size {:g}, but at most {:g} is allowed; "
                          "rescale the columns of the log and fit the model again",
                          largest, kLargestNumber));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Fitted::Fitted(Parts parts)
    : parts_(std::make_shared<const Parts>(std::move(parts))),
      scorer_(&as_scorer(parts_->scorer)),
      map_(scorer_->as_weight_map()) {
  parts_->encoder.validate();
  if (parts_->encoder.factors.empty())
    throw Error(ErrorCode::kInput, "the model has no factors; fit the model again");
  const std::size_t p = parts_->encoder.num_encoded();
  const std::size_t num_factors = parts_->encoder.factors.size();
  require_size("gate", scorer().num_contexts(), p);
  require_size("expert", scorer().num_factors(), num_factors);
  const bool quadratic = parts_->baseline.slopes.size() == num_quadratic_columns(p);
  require_size("baseline", parts_->baseline.slopes.size(),
               quadratic ? num_quadratic_columns(p) : p);
  if (has_uncertainty()) {
    require_size("uncertainty", uncertainty().num_contexts(), p);
    require_size("uncertainty", uncertainty().num_factors(), num_factors);
  }
  require_size("discrepancy of the gate", discrepancy_of(*parts_).size(),
               discrepancy_of(*parts_).empty() ? 0 : num_factors);
  require_size("list of expert intercepts", parts_->baseline.expert_intercepts.size(),
               num_experts());
  if (parts_->deviations) check_deviations(*parts_->deviations, static_cast<int>(num_factors));
  require_moderate_numbers(*parts_);
}

Method Fitted::method() const { return parts_->method; }
Estimator Fitted::estimator() const { return parts_->estimator; }
OutputFamily Fitted::family() const { return parts_->family; }
const Encoder& Fitted::encoder() const { return parts_->encoder; }
const Roles& Fitted::roles() const { return parts_->roles; }
const Baseline& Fitted::baseline() const { return parts_->baseline; }
bool Fitted::mixes_probabilities() const { return parts_->mixes_probabilities; }
const Deviations* Fitted::deviations() const {
  return parts_->deviations ? &*parts_->deviations : nullptr;
}
const FitReport& Fitted::report() const { return parts_->report; }

const WeightMap& Fitted::weight_map() const {
  if (map_ != nullptr) return *map_;
  throw Error(
      ErrorCode::kInput,
      fmt::format("a {} model has scores but no weights; use it with otss evaluate or with otss "
                  "decide --library or --candidates, or fit a model with another --method",
                  word(method())));
}

int Fitted::num_experts() const { return mixture() != nullptr ? mixture()->num_experts() : 0; }

bool Fitted::knows_differences() const {
  const std::optional<WeightChecks>& checks = report().weight_checks;
  return !checks || checks->determined();
}

std::vector<NamedWeight> Fitted::named(std::span<const double> w) const {
  std::vector<NamedWeight> weights;
  for (std::size_t j = 0; j < w.size(); ++j) weights.push_back({encoder().factors[j].name, w[j]});
  return weights;
}

std::vector<NamedWeight> Fitted::weights(std::span<const NamedValue> row) const {
  std::vector<double> x(num_contexts());
  std::vector<double> w(num_factors());
  encode(row, x);
  weights(x, w);
  return named(w);
}

std::vector<NamedWeight> Fitted::expert(int k) const {
  require_experts();
  if (k < 0 || k >= num_experts()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("there is no expert {}: the model has {} experts; give a number from 0 to {}",
                    k, num_experts(), num_experts() - 1));
  }
  return named(mixture()->expert(k));
}

std::vector<double> Fitted::shares(std::span<const NamedValue> row) const {
  require_experts();
  std::vector<double> x(num_contexts());
  std::vector<double> alpha(num_experts());
  encode(row, x);
  mixture()->shares(x, alpha);
  return alpha;
}

void Fitted::require_experts() const {
  if (mixture() != nullptr) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("a {} model has no experts; call {}predictor() instead", word(method()),
                          has_weights() ? "weights() or " : ""));
}

bool Fitted::has_uncertainty() const { return as_uncertainty(parts_->uncertainty) != nullptr; }

const Uncertainty& Fitted::uncertainty() const {
  if (const Uncertainty* known = as_uncertainty(parts_->uncertainty)) return *known;
  throw Error(
      ErrorCode::kInput,
      fmt::format(
          "this {} model has no intervals for its weights; to get intervals, fit a model with "
          "--method otss or pooled and with --gate linear or quadratic, and leave out --sign and "
          "--bounds",
          word(method())));
}

Fitted Fitted::with_report(FitReport report) const {
  Parts parts = *parts_;
  parts.report = std::move(report);
  return Fitted(std::move(parts));
}

std::vector<std::string> Fitted::factor_names() const {
  std::vector<std::string> names;
  for (const FactorColumn& factor : parts_->encoder.factors) names.push_back(factor.name);
  return names;
}

void Fitted::encode(std::span<const NamedValue> row, std::span<double> x) const {
  const auto& columns = parts_->encoder.contexts;
  for (const NamedValue& given : row) {
    const bool known = std::any_of(columns.begin(), columns.end(),
                                   [&](const auto& c) { return c.name == given.name; });
    if (!known) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("the model has no context column '{}'; leave this value out", given.name));
    }
  }
  // This vector is allocated once per thread, so later calls allocate no memory.
  thread_local std::vector<RawValue> values;
  values.assign(columns.size(), RawValue(0.0));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto found = std::find_if(
        row.begin(), row.end(), [&](const auto& given) { return given.name == columns[c].name; });
    if (found == row.end()) {
      throw Error(ErrorCode::kInput, fmt::format("the context has no value for column '{}'; give "
                                                 "the value, or NaN if the value is not known",
                                                 columns[c].name));
    }
    values[c] = in_kind_of(columns[c], found->value);
  }
  parts_->encoder.encode(values, x);
}

// Returns the factors in the form that the scorer takes: weight maps take centred factors,
// z - center, and trees take factors in the log's units.
std::vector<double> Fitted::centered(std::span<const double> z) const {
  std::vector<double> counted(z.begin(), z.end());
  for (std::size_t j = 0; has_weights() && j < z.size(); ++j)
    counted[j] -= parts_->encoder.factors[j].center;
  return counted;
}

bool Fitted::has_mean_intervals() const {
  return has_uncertainty() && uncertainty().knows_baseline();
}

double Fitted::standardised_predictor(std::span<const double> x, std::span<const double> z) const {
  std::vector<double> counted(z.size());
  for (std::size_t j = 0; j < z.size(); ++j) {
    const FactorColumn& factor = parts_->encoder.factors[j];
    counted[j] = (has_weights() ? 0 : factor.center) + factor.scale * z[j];
  }
  return linear_predictor(scorer(), parts_->baseline, parts_->mixes_probabilities, x, counted);
}

}  // namespace otss
