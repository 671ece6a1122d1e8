#include "otss/model/diagnostics.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "model/calibration.hpp"
#include "model/rows_by_eta.hpp"

namespace otss::internal {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// Returns the probability that a row with outcome 1 has a larger eta than a row with outcome 0. A
// pair of rows with equal eta counts half.
double area_under_curve(std::span<const double> eta, std::span<const double> outcomes,
                        std::span<const double> weights) {
  const std::vector<std::uint32_t> order = rows_by_eta(eta);
  double zeros_below = 0;
  double ones = 0;
  double area = 0;
  for (std::size_t i = 0; i < order.size();) {
    double tied_zeros = 0;
    double tied_ones = 0;
    const double value = eta[order[i]];
    for (; i < order.size() && eta[order[i]] == value; ++i) {
      const double weight = weights.empty() ? 1 : weights[order[i]];
      (outcomes[order[i]] > 0.5 ? tied_ones : tied_zeros) += weight;
    }
    area += tied_ones * (zeros_below + tied_zeros / 2);
    zeros_below += tied_zeros;
    ones += tied_ones;
  }
  return ones > 0 && zeros_below > 0 ? area / (ones * zeros_below) : kUndefined;
}

double entropy(std::span<const double> alpha, double total) {
  double h = 0;
  for (const double a : alpha) {
    if (a > 0) h -= a / total * std::log(a / total);
  }
  return h;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

PredictionQuality prediction_quality(const PredictedFamily& predicted, std::span<const double> eta,
                                     std::span<const double> outcomes,
                                     std::span<const double> weights) {
  const OutputFamily family = predicted.family;
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
  PredictionQuality quality;
  double total = 0;
  double mean = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const double error = family.mean(eta[i]) - outcomes[i];
    quality.log_loss += weight(i) * predicted.log_loss(i, eta[i], outcomes[i]);
    quality.squared_error += weight(i) * error * error;
    quality.deviance += 2 * weight(i) * family.loss(eta[i], outcomes[i]);
    mean += weight(i) * outcomes[i];
    total += weight(i);
  }
  mean /= total;
  double constant_deviance = 0;
  for (std::size_t i = 0; i < eta.size(); ++i)
    constant_deviance += 2 * weight(i) * family.loss(family.link(mean), outcomes[i]);

  // If all outcomes are equal, constant_deviance is 0, and the ratio below is not defined.
  const bool varies = constant_deviance > 0;
  quality.explained = varies ? 1 - quality.deviance / constant_deviance : kUndefined;
  quality.calibration_slope =
      varies ? calibration(family, eta, outcomes, weights).slope : kUndefined;
  quality.auc =
      family == OutputFamily::kBernoulli ? area_under_curve(eta, outcomes, weights) : kUndefined;
  quality.log_loss /= total;
  quality.squared_error /= total;
  quality.deviance /= total;
  return quality;
}

void GateUseCounter::add(std::span<const double> alpha) {
  total_.resize(alpha.size());
  const double h = entropy(alpha, 1);
  ++count_;
  entropy_ += h;
  exponentials_ += std::exp(h);
  for (std::size_t k = 0; k < alpha.size(); ++k) total_[k] += alpha[k];
}

GateUse GateUseCounter::result() const {
  const auto n = static_cast<double>(count_);
  GateUse use{entropy_ / n, exponentials_ / n, std::exp(entropy(total_, n)), total_};
  for (double& u : use.usage) u /= n;
  return use;
}

double adjusted_rand_index(std::span<const std::size_t> first,
                           std::span<const std::size_t> second) {
  std::map<std::pair<std::size_t, std::size_t>, double> cells;
  std::map<std::size_t, double> rows;
  std::map<std::size_t, double> columns;
  for (std::size_t i = 0; i < first.size(); ++i) {
    ++cells[{first[i], second[i]}];
    ++rows[first[i]];
    ++columns[second[i]];
  }
  const auto pairs = [](const auto& counts) {
    double sum = 0;
    for (const auto& [key, count] : counts) sum += count * (count - 1) / 2;
    return sum;
  };
  const auto n = static_cast<double>(first.size());
  const double expected = pairs(rows) * pairs(columns) / (n * (n - 1) / 2);
  const double most = (pairs(rows) + pairs(columns)) / 2;
  return most > expected ? (pairs(cells) - expected) / (most - expected) : 1;
}

}  // namespace otss
