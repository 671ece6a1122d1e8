#include "otss/model/fitted.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "otss/base/error.hpp"
#include "otss/model/quadratic.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss {
namespace {

void require_size(const char* what, std::size_t actual, std::size_t expected) {
  if (actual == expected) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the model's {} has {} entries where {} are needed; fit it again", what,
                          actual, expected));
}

double common_baseline(const Baseline& baseline, std::span<const double> x) {
  std::vector<double> columns(x.begin(), x.end());
  if (baseline.slopes.size() != x.size()) {
    columns.resize(baseline.slopes.size());
    quadratic_columns(x, columns);
  }
  double sum = baseline.intercept;
  for (std::size_t j = 0; j < columns.size(); ++j) sum += baseline.slopes[j] * columns[j];
  return sum;
}

double logistic(double t) { return 1 / (1 + std::exp(-t)); }

// Predictors of the single experts, averaged; or their probabilities.
double mixed_predictor(const SoftMixture& mixture, const Baseline& baseline,
                       bool mixes_probabilities, std::span<const double> x,
                       std::span<const double> z) {
  std::vector<double> alpha(mixture.num_experts());
  mixture.gate().shares(x, alpha);
  const double common = common_baseline(baseline, x);
  double mean = 0;
  double certain = 0;  // P(y = 1)
  double rest = 0;     // P(y = 0), summed by itself so that neither tail cancels
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    double eta = common + baseline.expert_intercepts[k];
    for (std::size_t j = 0; j < z.size(); ++j) eta += mixture.expert(static_cast<int>(k))[j] * z[j];
    mean += alpha[k] * eta;
    certain += alpha[k] * logistic(eta);
    rest += alpha[k] * logistic(-eta);
  }
  return mixes_probabilities ? std::log(certain / rest) : mean;
}

}  // namespace

double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z) {
  if (const auto* mixture = dynamic_cast<const SoftMixture*>(&scorer))
    return mixed_predictor(*mixture, baseline, mixes_probabilities, x, centered_z);
  return common_baseline(baseline, x) + scorer.score(x, centered_z);
}

Fitted::Fitted(Parts parts) : parts_(std::move(parts)) {
  map_ = dynamic_cast<const WeightMap*>(parts_.scorer.get());
  parts_.encoder.validate();
  if (parts_.encoder.factors.empty())
    throw Error(ErrorCode::kInput, "the model has no factors; fit it again");
  const std::size_t p = parts_.encoder.num_encoded();
  require_size("gate", parts_.scorer->num_contexts(), p);
  require_size("expert", parts_.scorer->num_factors(), parts_.encoder.factors.size());
  const bool quadratic = parts_.baseline.slopes.size() == num_quadratic_columns(p);
  require_size("baseline", parts_.baseline.slopes.size(), quadratic ? num_quadratic_columns(p) : p);
  if (parts_.uncertainty != nullptr) {
    require_size("uncertainty", parts_.uncertainty->num_contexts(), p);
    require_size("uncertainty", parts_.uncertainty->num_factors(), parts_.encoder.factors.size());
  }
  require_size("list of expert intercepts", parts_.baseline.expert_intercepts.size(),
               mixture() != nullptr ? mixture()->num_experts() : 0);
}

const WeightMap& Fitted::weight_map() const {
  if (map_ != nullptr) return *map_;
  throw Error(ErrorCode::kInput, fmt::format("a {} model has scores only, no weights; decide over "
                                             "a library or candidates and evaluate take it, or "
                                             "fit another --method",
                                             parts_.method));
}

const SoftMixture* Fitted::mixture() const { return dynamic_cast<const SoftMixture*>(map_); }

const Uncertainty& Fitted::uncertainty() const {
  if (parts_.uncertainty != nullptr) return *parts_.uncertainty;
  throw Error(ErrorCode::kInput,
              fmt::format("this {} model does not know how sure its weights are; fit --method otss "
                          "or pooled with a linear or quadratic gate and no weight on a bound",
                          parts_.method));
}

void Fitted::intervals(std::span<const double> x, double level, std::span<double> lo,
                       std::span<double> hi, Coverage coverage) const {
  if (!(level > 0 && level < 1)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("confidence {}: give one between 0 and 1, such as 0.9", level));
  }
  uncertainty().interval(x, level, coverage, lo, hi);
  std::vector<double> w(num_factors());
  weights(x, w);
  for (std::size_t j = 0; j < w.size(); ++j) {
    lo[j] += w[j];
    hi[j] += w[j];
  }
}

void Fitted::intervals(std::size_t rows, std::span<const double> x, double level,
                       std::span<double> lo, std::span<double> hi, Coverage coverage,
                       int num_threads) const {
  const std::size_t p = num_contexts();
  const std::size_t J = num_factors();
  parallel_for(rows, num_threads, [&](std::size_t i) {
    intervals(x.subspan(i * p, p), level, lo.subspan(i * J, J), hi.subspan(i * J, J), coverage);
  });
}

Fitted Fitted::with_provenance(std::string provenance) const {
  Parts parts = parts_;
  parts.provenance = std::move(provenance);
  return Fitted(std::move(parts));
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
  std::vector<double> centered(z.begin(), z.end());
  for (std::size_t j = 0; has_weights() && j < z.size(); ++j)
    centered[j] -= parts_.encoder.factors[j].center;
  return linear_predictor(*parts_.scorer, parts_.baseline, parts_.method == "em", x, centered);
}

}  // namespace otss
