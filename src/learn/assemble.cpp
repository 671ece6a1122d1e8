#include "learn/assemble.hpp"

#include <algorithm>
#include <numeric>

namespace otss {
namespace {

constexpr std::size_t kUsageRows = 20'000;

// Total share of each expert over (a spread of) the log's rows.
std::vector<double> usage(const LoggedData& log, const Gate& gate) {
  const std::size_t step = std::max<std::size_t>(1, log.num_rows() / kUsageRows);
  std::vector<double> x(log.num_contexts());
  std::vector<double> alpha(gate.num_experts());
  std::vector<double> total(gate.num_experts(), 0.0);
  for (std::size_t i = 0; i < log.num_rows(); i += step) {
    for (int j = 0; j < log.num_contexts(); ++j) x[j] = log.features().at(i, j);
    gate.shares(x, alpha);
    const double weight = log.weights().empty() ? 1 : log.weights()[i];
    for (std::size_t k = 0; k < alpha.size(); ++k) total[k] += weight * alpha[k];
  }
  return total;
}

// Gate row k of the symmetric form: the differences to the last expert, less their mean.
std::vector<double> symmetric_gate(const MixtureLayout& layout, std::span<const double> theta) {
  const int columns = layout.num_contexts + 1;
  std::vector<double> gate(static_cast<std::size_t>(layout.num_experts) * columns, 0.0);
  std::copy_n(theta.begin(), layout.baseline(), gate.begin());
  for (int j = 0; j < columns; ++j) {
    double mean = 0;
    for (int k = 0; k < layout.num_experts; ++k) mean += gate[k * columns + j] / layout.num_experts;
    for (int k = 0; k < layout.num_experts; ++k) gate[k * columns + j] -= mean;
  }
  return gate;
}

std::shared_ptr<const LinearGate> linear_gate(const std::vector<double>& rows, int num_contexts,
                                              const std::vector<int>& order) {
  std::vector<double> slopes;
  std::vector<double> intercepts;
  for (const int k : order) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(k) * (num_contexts + 1);
    slopes.insert(slopes.end(), row, row + num_contexts);
    intercepts.push_back(row[num_contexts]);
  }
  return std::make_shared<LinearGate>(num_contexts, std::move(slopes), std::move(intercepts));
}

// From the units of the outcome that learners see to the log's own; the gate has none.
std::vector<double> in_own_units(const MixtureLayout& layout, std::span<const double> theta,
                                 const OutcomeUnits& units) {
  std::vector<double> own(theta.begin(), theta.end());
  for (std::size_t i = layout.baseline(); i < own.size(); ++i) own[i] *= units.scale;
  own[layout.baseline() + layout.num_contexts] += units.center;
  return own;
}

}  // namespace

Fitted assemble(const LoggedData& log, const Problem& problem, const MixtureLayout& layout,
                std::span<const double> fitted, const std::string& method,
                const std::string& estimator, const Json& provenance) {
  const std::vector<double> theta = in_own_units(layout, fitted, problem.outcomes.units());
  const int p = layout.num_contexts;
  const auto gate_rows = symmetric_gate(layout, theta);
  std::vector<int> order(layout.num_experts);
  std::iota(order.begin(), order.end(), 0);
  const std::vector<double> used = usage(log, *linear_gate(gate_rows, p, order));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return used[a] > used[b]; });

  Fitted::Parts parts;
  parts.method = method;
  parts.estimator = estimator;
  parts.family = problem.family().name();
  parts.baseline.noise = problem.outcomes.units().scale;
  parts.encoder = log.encoder();
  parts.roles = log.roles();
  const auto baseline = theta.begin() + static_cast<std::ptrdiff_t>(layout.baseline());
  parts.baseline.slopes.assign(baseline, baseline + p);
  parts.baseline.intercept = baseline[p];
  std::vector<double> experts;
  for (const int k : order) {
    const double* expert = theta.data() + layout.expert(k);
    std::vector<double> weights(expert, expert + layout.num_factors);
    for (int j = 0; j < layout.num_factors; ++j) weights[j] /= log.encoder().factors[j].scale;
    // Going to standardised units and back rounds a weight on its bound by a bit.
    problem.bounds.own_units.project(weights);
    experts.insert(experts.end(), weights.begin(), weights.end());
    parts.baseline.expert_intercepts.push_back(expert[layout.num_factors]);
  }
  parts.mixture = std::make_shared<SoftMixture>(linear_gate(gate_rows, p, order),
                                                layout.num_factors, std::move(experts));
  parts.provenance = provenance.dump();
  return Fitted(std::move(parts));
}

}  // namespace otss
