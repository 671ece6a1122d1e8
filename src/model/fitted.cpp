#include "otss/model/fitted.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "otss/base/error.hpp"

namespace otss {
namespace {

void require_size(const char* what, std::size_t actual, std::size_t expected) {
  if (actual == expected) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the model's {} has {} entries where {} are needed; fit it again", what,
                          actual, expected));
}

}  // namespace

Fitted::Fitted(Parts parts) : parts_(std::move(parts)) {
  parts_.encoder.validate();
  if (parts_.encoder.factors.empty())
    throw Error(ErrorCode::kInput, "the model has no factors; fit it again");
  require_size("gate", parts_.mixture->num_contexts(), parts_.encoder.num_encoded());
  require_size("expert", parts_.mixture->num_factors(), parts_.encoder.factors.size());
  require_size("baseline", parts_.baseline.slopes.size(), parts_.encoder.num_encoded());
  require_size("list of expert intercepts", parts_.baseline.expert_intercepts.size(),
               parts_.mixture->num_experts());
}

std::vector<std::string> Fitted::factor_names() const {
  std::vector<std::string> names;
  for (const FactorColumn& factor : parts_.encoder.factors) names.push_back(factor.name);
  return names;
}

void Fitted::encode(std::span<const NamedValue> row, std::span<double> x) const {
  const auto& columns = parts_.encoder.contexts;
  for (const NamedValue& given : row) {
    const bool known = std::any_of(columns.begin(), columns.end(),
                                   [&](const auto& c) { return c.name == given.name; });
    if (!known) {
      throw Error(ErrorCode::kInput,
                  fmt::format("the model has no context column '{}'; leave it out", given.name));
    }
  }
  thread_local std::vector<RawValue>
      values;  // grows once per thread, so that a call does not allocate
  values.assign(columns.size(), RawValue(0.0));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto found = std::find_if(
        row.begin(), row.end(), [&](const auto& given) { return given.name == columns[c].name; });
    if (found == row.end()) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("the context lacks '{}'; give it, missing values included", columns[c].name));
    }
    values[c] = found->value;
  }
  parts_.encoder.encode(values, x);
}

double Fitted::predictor(std::span<const double> x, std::span<const double> z) const {
  const SoftMixture& mixture = *parts_.mixture;
  const Baseline& baseline = parts_.baseline;
  std::vector<double> alpha(mixture.num_experts());
  std::vector<double> w(mixture.num_factors());
  mixture.gate().shares(x, alpha);
  mixture.weights(x, w);
  double eta = baseline.intercept;
  for (std::size_t j = 0; j < x.size(); ++j) eta += baseline.slopes[j] * x[j];
  for (std::size_t k = 0; k < alpha.size(); ++k) eta += alpha[k] * baseline.expert_intercepts[k];
  for (std::size_t j = 0; j < z.size(); ++j)
    eta += w[j] * (z[j] - parts_.encoder.factors[j].center);
  return eta;
}

}  // namespace otss
