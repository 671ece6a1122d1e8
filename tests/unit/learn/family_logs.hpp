// Small logs of every family with a known weight map, shared by the tests of this room.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/output_family.hpp"

namespace otss::test {

using namespace internal;

// Two experts over three factors, the gate a function of the first of three contexts.
class FamilyLog {
 public:
  static constexpr int kContexts = 3, kFactors = 3;
  static constexpr double kExperts[2][kFactors] = {{0.9, -0.2, 0.1}, {-0.3, 0.6, 0.1}};

  FamilyLog(OutputFamily family, std::size_t num_rows, std::uint64_t seed, double intercept = 0.2)
      : family_(family), columns_(kContexts + kFactors) {
    Rng rng(seed);
    for (std::size_t i = 0; i < num_rows; ++i) {
      for (auto& column : columns_) column.push_back(rng.normal());
      outcomes_.push_back(draw(rng, intercept + 0.3 * columns_[1].back() + score(i)));
    }
  }

  // w(x) of row i, per factor.
  std::vector<double> true_weights(std::size_t i) const {
    const double share = 1 / (1 + std::exp(-2 * columns_[0][i]));
    std::vector<double> w(kFactors);
    for (int j = 0; j < kFactors; ++j) w[j] = share * kExperts[0][j] + (1 - share) * kExperts[1][j];
    return w;
  }

  std::vector<double>& outcomes() { return outcomes_; }
  std::size_t num_rows() const { return outcomes_.size(); }

  LoggedData log(const LogExtras& extras = {}) const { return make(columns_, outcomes_, extras); }

  // Row i once with weight counts[i], or counts[i] times; groups are the original rows.
  LoggedData weighted(const std::vector<int>& counts) const {
    const std::vector<double> weights(counts.begin(), counts.end());
    std::vector<double> origin;
    for (std::size_t i = 0; i < num_rows(); ++i) origin.push_back(static_cast<double>(i));
    LogExtras extras;
    extras.weight.numbers = weights;
    extras.group.numbers = origin;
    return make(columns_, outcomes_, extras);
  }
  LoggedData repeated(const std::vector<int>& counts) const {
    std::vector<std::vector<double>> columns(columns_.size());
    std::vector<double> outcomes, origin;
    for (std::size_t i = 0; i < num_rows(); ++i) {
      for (int copy = 0; copy < counts[i]; ++copy) {
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(columns_[c][i]);
        outcomes.push_back(outcomes_[i]);
        origin.push_back(static_cast<double>(i));
      }
    }
    LogExtras extras;
    extras.group.numbers = origin;
    return make(columns, outcomes, extras);
  }

  // Mean over rows of the squared distance to the true weights.
  double weight_error(const Fitted& fitted, double unit = 1) const {
    double error = 0;
    std::vector<double> x(kContexts), w(kFactors);
    for (std::size_t i = 0; i < num_rows(); ++i) {
      std::vector<NamedValue> row;
      for (int j = 0; j < kContexts; ++j) row.push_back({kNames[j], columns_[j][i]});
      fitted.encode(row, x);
      fitted.weights(x, w);
      const std::vector<double> truth = true_weights(i);
      for (int j = 0; j < kFactors; ++j)
        error += (w[j] / unit - truth[j]) * (w[j] / unit - truth[j]);
    }
    return error / static_cast<double>(num_rows());
  }

 private:
  static constexpr const char* kNames[] = {"x1", "x2", "x3", "z1", "z2", "z3"};

  double score(std::size_t i) const {
    const std::vector<double> w = true_weights(i);
    double sum = 0;
    for (int j = 0; j < kFactors; ++j) sum += w[j] * columns_[kContexts + j][i];
    return sum;
  }

  double draw(Rng& rng, double eta) const {
    if (family_ == OutputFamily::kGaussian) return eta + 0.7 * rng.normal();
    if (family_ == OutputFamily::kBernoulli) return rng.uniform() < family_.mean(eta) ? 1 : 0;
    const double mean = std::exp(eta);
    if (mean > 500) return std::max(0.0, std::round(mean + std::sqrt(mean) * rng.normal()));
    double count = -1;  // exponential waiting times until one unit of time has passed
    for (double time = 0; time < mean; ++count) time -= std::log(1 - rng.uniform());
    return std::max(count, 0.0);
  }

  LoggedData make(const std::vector<std::vector<double>>& columns,
                  const std::vector<double>& outcomes, LogExtras extras) const {
    extras.outcome = family_.outcome_kind();
    std::vector<NamedColumn> named;
    for (std::size_t c = 0; c < columns.size(); ++c) named.push_back({kNames[c], columns[c]});
    const std::vector<NamedColumn> contexts(named.begin(), named.begin() + kContexts);
    const std::vector<NamedColumn> factors(named.begin() + kContexts, named.end());
    return make_log(contexts, factors, outcomes, extras);
  }

  OutputFamily family_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> outcomes_;
};

}  // namespace otss::test
