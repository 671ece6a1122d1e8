#include "model/uncertainty/drawn_uncertainty.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "model/maps/gate_columns.hpp"
#include "model/uncertainty/draws_of_weights.hpp"

namespace otss::internal {
namespace {

// Computes the shares of the experts of one draw. `columns` has the gate's columns, followed by a 1
// for the intercept.
void shares_of(const DrawnUncertainty::Draw& draw, const MixtureSize& size,
               std::span<const double> columns, std::vector<double>& alpha) {
  alpha.assign(size.num_experts, 0.0);
  for (int k = 0; k + 1 < size.num_experts; ++k) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      alpha[k] += draw.parameters[size.gate(k) + i] * columns[i];
  }
  const double largest = *std::ranges::max_element(alpha);
  double total = 0;
  for (double& share : alpha) total += share = std::exp(share - largest);
  for (double& share : alpha) share /= total;
}

// Computes the weights of one draw from the shares of its experts.
void weights_of(const DrawnUncertainty::Draw& draw, const MixtureSize& size,
                std::span<const double> alpha, std::span<double> w) {
  std::ranges::fill(w, 0.0);
  for (int k = 0; k < size.num_experts; ++k) {
    for (std::size_t j = 0; j < w.size(); ++j)
      w[j] += alpha[k] * draw.parameters[size.expert(k) + j];
  }
}

// Returns the baseline of one draw from the shares of its experts.
double baseline_of(const DrawnUncertainty::Draw& draw, const MixtureSize& size,
                   std::span<const double> columns, std::span<const double> alpha) {
  double sum = 0;
  for (int i = 0; i < size.num_columns; ++i) sum += draw.baseline[i] * columns[i];
  for (int k = 0; k < size.num_experts; ++k) sum += alpha[k] * draw.baseline[size.intercept(k)];
  return sum;
}

// Subtracts the mean of all n rows from each row, and multiplies the difference by
// spread · sqrt(n / (n - 1)). The square root makes the variance of the rows unbiased.
void count_from_mean(std::span<double> rows, std::size_t num_factors, double spread) {
  const std::size_t num_rows = rows.size() / num_factors;
  const auto count = static_cast<double>(num_rows);
  const double unbiased = count > 1 ? std::sqrt(count / (count - 1)) : 0;
  std::vector<double> mean(num_factors, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) mean[i % num_factors] += rows[i] / count;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = spread * unbiased * (rows[i] - mean[i % num_factors]);
}

}  // namespace

DrawnUncertainty::DrawnUncertainty(int num_contexts, int num_factors, bool quadratic,
                                   std::vector<Draw> draws, double spread)
    : num_contexts_(num_contexts),
      num_factors_(num_factors),
      quadratic_(quadratic),
      draws_(std::move(draws)),
      spread_(spread) {
  assert(draws_.size() >= 2);
}

void DrawnUncertainty::add_weights(std::span<const double> x, double coefficient,
                                   std::span<double> out) const {
  std::vector<double> columns = gate_columns(x, quadratic_);
  columns.push_back(1);
  const int num_columns = static_cast<int>(columns.size()) - 1;
  std::vector<double> alpha;
  std::vector<double> w(num_factors_);
  for (std::size_t d = 0; d < draws_.size(); ++d) {
    const MixtureSize size{num_columns, num_factors_, draws_[d].num_experts};
    shares_of(draws_[d], size, columns, alpha);
    weights_of(draws_[d], size, alpha, w);
    for (int j = 0; j < num_factors_; ++j) out[d * num_factors_ + j] += coefficient * w[j];
  }
}

void DrawnUncertainty::combined_departures(std::span<const double> x,
                                           std::span<const double> coefficients,
                                           std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (std::size_t row = 0; row < coefficients.size(); ++row)
    add_weights(x.subspan(row * num_contexts_, num_contexts_), coefficients[row], out);
  count_from_posterior_means(out);
}

void DrawnUncertainty::joint_departures(std::span<const double> x, const ExpertEffects& /*effects*/,
                                        std::span<double> out) const {
  std::vector<double> columns = gate_columns(x, quadratic_);
  columns.push_back(1);
  const int num_columns = static_cast<int>(columns.size()) - 1;
  const std::size_t width = 1 + static_cast<std::size_t>(num_factors_);
  std::vector<double> alpha;
  for (std::size_t d = 0; d < draws_.size(); ++d) {
    const MixtureSize size{num_columns, num_factors_, draws_[d].num_experts};
    shares_of(draws_[d], size, columns, alpha);
    out[d * width] = knows_baseline() ? baseline_of(draws_[d], size, columns, alpha) : 0;
    weights_of(draws_[d], size, alpha, out.subspan(d * width + 1, num_factors_));
  }
  count_from_posterior_means(out);
}

MixtureSize DrawnUncertainty::size_of(const Draw& draw) const {
  return {num_gate_columns(num_contexts_, quadratic_), num_factors_, draw.num_experts};
}

int DrawnUncertainty::nearest_expert(std::size_t first, std::size_t end,
                                     std::span<const double> expert,
                                     std::span<const double> scales) const {
  const MixtureSize size = size_of(draws_[first]);
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < size.num_experts; ++k) {
    double distance = 0;
    for (int j = 0; j < num_factors_; ++j) {
      double mean = 0;
      for (std::size_t d = first; d < end; ++d)
        mean += draws_[d].parameters[size.expert(k) + j] / static_cast<double>(end - first);
      distance += std::pow(scales[j] * (mean - expert[j]), 2);
    }
    if (distance < least) {
      nearest = k;
      least = distance;
    }
  }
  return nearest;
}

void DrawnUncertainty::expert_departures(std::span<const double> expert,
                                         std::span<const double> scales,
                                         std::span<double> out) const {
  for (std::size_t first = 0, end = 0; first < draws_.size(); first = end) {
    while (end < draws_.size() && draws_[end].posterior == draws_[first].posterior &&
           draws_[end].num_experts == draws_[first].num_experts)
      ++end;
    const int k = nearest_expert(first, end, expert, scales);
    for (std::size_t d = first; d < end; ++d) {
      const auto weights =
          draws_[d].parameters.begin() + static_cast<std::ptrdiff_t>(size_of(draws_[d]).expert(k));
      std::copy_n(weights, num_factors_, out.begin() + d * num_factors_);
    }
    count_from_mean(out.subspan(first * num_factors_, (end - first) * num_factors_), num_factors_,
                    spread_);
  }
}

void DrawnUncertainty::count_from_posterior_means(std::span<double> rows) const {
  const std::size_t width = rows.size() / draws_.size();
  for (std::size_t first = 0, end = 0; first < draws_.size(); first = end) {
    while (end < draws_.size() && draws_[end].posterior == draws_[first].posterior) ++end;
    count_from_mean(rows.subspan(first * width, (end - first) * width), width, spread_);
  }
}

Bounds DrawnUncertainty::predictor_interval(std::span<const double> x,
                                            std::span<const double> centered_z,
                                            const ExpertEffects& /*effects*/, double level) const {
  assert(knows_baseline());
  std::vector<double> columns = gate_columns(x, quadratic_);
  columns.push_back(1);
  const int num_columns = static_cast<int>(columns.size()) - 1;
  std::vector<double> alpha;
  std::vector<double> w(num_factors_);
  std::vector<double> eta;
  for (const Draw& draw : draws_) {
    const MixtureSize size{num_columns, num_factors_, draw.num_experts};
    shares_of(draw, size, columns, alpha);
    weights_of(draw, size, alpha, w);
    eta.push_back(baseline_of(draw, size, columns, alpha));
    for (int j = 0; j < num_factors_; ++j) eta.back() += w[j] * centered_z[j];
  }
  count_from_posterior_means(eta);
  return {std::min(0.0, quantile(eta, 0.5 - 0.5 * level)),
          std::max(0.0, quantile(eta, 0.5 + 0.5 * level))};
}

void DrawnUncertainty::interval_of_each(std::span<const double> departures, double level,
                                        std::span<double> lo, std::span<double> hi) const {
  std::vector<double> of_factor(departures.size() / lo.size());
  for (std::size_t j = 0; j < lo.size(); ++j) {
    for (std::size_t d = 0; d < of_factor.size(); ++d) of_factor[d] = departures[d * lo.size() + j];
    lo[j] = std::min(0.0, quantile(of_factor, 0.5 - 0.5 * level));
    hi[j] = std::max(0.0, quantile(of_factor, 0.5 + 0.5 * level));
  }
}

}  // namespace otss::internal
