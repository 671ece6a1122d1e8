#include "learn/model.hpp"

#include <algorithm>
#include <numeric>

#include "base/threads.hpp"
#include "otss/model/gates.hpp"

namespace otss {
namespace {

constexpr std::size_t kUsageRows = 20'000;
constexpr std::size_t kModelRowsPerTask = 1024;

void copy_columns(const Problem& problem, std::size_t row, int first, std::span<double> out) {
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = problem.features->at(row, first + static_cast<int>(j));
}

// Total share of each expert over (a spread of) the rows.
std::vector<double> usage(const Problem& problem, const Gate& gate) {
  const std::size_t step = std::max<std::size_t>(1, problem.num_rows() / kUsageRows);
  std::vector<double> x(problem.num_contexts);
  std::vector<double> alpha(gate.num_experts());
  std::vector<double> total(gate.num_experts(), 0.0);
  for (std::size_t i = 0; i < problem.num_rows(); i += step) {
    copy_columns(problem, i, 0, x);
    gate.shares(x, alpha);
    for (std::size_t k = 0; k < alpha.size(); ++k) total[k] += problem.weight(i) * alpha[k];
  }
  return total;
}

// Rows of a K×n matrix in another order.
std::vector<double> reordered(std::span<const double> rows, const std::vector<int>& order) {
  const std::size_t columns = rows.size() / order.size();
  std::vector<double> result;
  for (const int k : order) {
    const auto row = rows.subspan(k * columns, columns);
    result.insert(result.end(), row.begin(), row.end());
  }
  return result;
}

LinearGate reordered(const LinearGate& gate, const std::vector<int>& order) {
  return {gate.num_contexts(), reordered(gate.slopes(), order),
          reordered(gate.intercepts(), order)};
}

std::shared_ptr<const Gate> reordered(const std::shared_ptr<const Gate>& gate,
                                      const std::vector<int>& order) {
  if (const auto* linear = dynamic_cast<const LinearGate*>(gate.get()))
    return std::make_shared<LinearGate>(reordered(*linear, order));
  if (const auto* one_hot = dynamic_cast<const OneHotGate*>(gate.get()))
    return std::make_shared<OneHotGate>(reordered(one_hot->scores(), order));
  if (const auto* quadratic = dynamic_cast<const QuadraticGate*>(gate.get()))
    return std::make_shared<QuadraticGate>(gate->num_contexts(),
                                           reordered(quadratic->on_columns(), order));
  if (const auto* fixed = dynamic_cast<const CenterGate*>(gate.get()))
    return std::make_shared<CenterGate>(gate->num_contexts(), reordered(fixed->centers(), order),
                                        gate->num_experts());
  if (const auto* network_gate = dynamic_cast<const NetworkGate*>(gate.get())) {
    Network network = network_gate->network();
    network.output_slopes = reordered(network.output_slopes, order);
    network.output_intercepts = reordered(network.output_intercepts, order);
    return std::make_shared<NetworkGate>(std::move(network));
  }
  return nullptr;  // an average has members' experts side by side, in no order worth naming
}

}  // namespace

std::vector<double> predictors(const Problem& problem, const Model& model, int num_threads) {
  std::vector<double> eta(problem.num_rows());
  const std::size_t tasks = (eta.size() + kModelRowsPerTask - 1) / kModelRowsPerTask;
  parallel_for(tasks, num_threads, [&](std::size_t task) {
    std::vector<double> x(problem.num_contexts);
    std::vector<double> z(problem.num_factors());
    const std::size_t end = std::min(eta.size(), (task + 1) * kModelRowsPerTask);
    for (std::size_t i = task * kModelRowsPerTask; i < end; ++i) {
      copy_columns(problem, i, 0, x);
      copy_columns(problem, i, problem.num_contexts, z);
      eta[i] = linear_predictor(*model.scorer, model.baseline, model.mixes_probabilities, x, z);
    }
  });
  return eta;
}

Model mixture_model(const MixtureLayout& layout, std::span<const double> theta) {
  const int columns = layout.num_contexts + 1;
  const int num_experts = layout.num_experts;
  std::vector<double> slopes(static_cast<std::size_t>(num_experts) * layout.num_contexts, 0.0);
  std::vector<double> intercepts(num_experts, 0.0);
  for (int j = 0; j < columns; ++j) {
    const auto entry = [&](int k) -> double& {
      return j < layout.num_contexts ? slopes[k * layout.num_contexts + j] : intercepts[k];
    };
    double mean = 0;
    for (int k = 0; k + 1 < num_experts; ++k) {
      entry(k) = theta[layout.gate(k) + j];
      mean += entry(k) / num_experts;
    }
    for (int k = 0; k < num_experts; ++k) entry(k) -= mean;
  }
  Model model;
  const auto baseline = theta.subspan(layout.baseline(), columns);
  model.baseline.slopes.assign(baseline.begin(), baseline.end() - 1);
  model.baseline.intercept = baseline.back();
  std::vector<double> experts;
  for (int k = 0; k < num_experts; ++k) {
    const auto expert = theta.subspan(layout.expert(k), layout.num_factors + 1);
    experts.insert(experts.end(), expert.begin(), expert.end() - 1);
    model.baseline.expert_intercepts.push_back(expert.back());
  }
  model.scorer = std::make_shared<SoftMixture>(
      std::make_shared<LinearGate>(layout.num_contexts, std::move(slopes), std::move(intercepts)),
      layout.num_factors, std::move(experts));
  return model;
}

Model average_model(const std::vector<Member>& members, std::size_t most_members) {
  const std::size_t kept = std::min(most_members, members.size());
  std::vector<std::size_t> chosen;
  double total = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    chosen.push_back(i * members.size() / kept);
    total += members[chosen.back()].weight;
  }
  Model average;
  std::vector<AverageGate::Member> gates;
  std::vector<double> experts;
  for (const std::size_t m : chosen) {
    const double weight = members[m].weight / total;
    const Model one = mixture_model(members[m].layout, members[m].theta);
    const auto& mixture = dynamic_cast<const SoftMixture&>(*one.scorer);
    gates.push_back({weight, dynamic_cast<const LinearGate&>(mixture.gate())});
    experts.insert(experts.end(), mixture.experts().begin(), mixture.experts().end());
    average.baseline.slopes.resize(one.baseline.slopes.size());
    for (std::size_t j = 0; j < one.baseline.slopes.size(); ++j)
      average.baseline.slopes[j] += weight * one.baseline.slopes[j];
    average.baseline.intercept += weight * one.baseline.intercept;
    average.baseline.expert_intercepts.insert(average.baseline.expert_intercepts.end(),
                                              one.baseline.expert_intercepts.begin(),
                                              one.baseline.expert_intercepts.end());
  }
  average.scorer =
      std::make_shared<SoftMixture>(std::make_shared<AverageGate>(std::move(gates)),
                                    members.front().layout.num_factors, std::move(experts));
  return average;
}

std::vector<double> mixture_parameters(const Model& model) {
  const auto& mixture = dynamic_cast<const SoftMixture&>(*model.scorer);
  const auto* one_hot = dynamic_cast<const OneHotGate*>(&mixture.gate());
  const LinearGate& gate =
      one_hot != nullptr ? one_hot->scores() : dynamic_cast<const LinearGate&>(mixture.gate());
  const int p = gate.num_contexts();
  const MixtureLayout layout{p, mixture.num_factors(), mixture.num_experts()};
  const int last = layout.num_experts - 1;
  std::vector<double> theta(layout.size());
  for (int k = 0; k < last; ++k) {
    for (int j = 0; j < p; ++j)
      theta[layout.gate(k) + j] = gate.slopes()[k * p + j] - gate.slopes()[last * p + j];
    theta[layout.gate(k) + p] = gate.intercepts()[k] - gate.intercepts()[last];
  }
  std::ranges::copy(model.baseline.slopes, theta.begin() + layout.baseline());
  theta[layout.baseline() + p] = model.baseline.intercept;
  for (int k = 0; k <= last; ++k) {
    std::ranges::copy(mixture.expert(k), theta.begin() + layout.expert(k));
    theta[layout.expert(k) + layout.num_factors] = model.baseline.expert_intercepts[k];
  }
  return theta;
}

Model with_gate(const Model& mixture, std::shared_ptr<const Gate> gate) {
  const auto& map = dynamic_cast<const SoftMixture&>(*mixture.scorer);
  Model result = mixture;
  const auto experts = map.experts();
  result.scorer = std::make_shared<SoftMixture>(
      std::move(gate), map.num_factors(), std::vector<double>(experts.begin(), experts.end()));
  return result;
}

Model quadratic_model(const Model& on_columns, int num_contexts) {
  const auto& mixture = dynamic_cast<const SoftMixture&>(*on_columns.scorer);
  return with_gate(on_columns, std::make_shared<QuadraticGate>(
                                   num_contexts, dynamic_cast<const LinearGate&>(mixture.gate())));
}

Model ordered_by_use(const Problem& problem, const Model& model) {
  const auto* mixture = dynamic_cast<const SoftMixture*>(model.scorer.get());
  if (mixture == nullptr) return model;
  const std::vector<double> used = usage(problem, mixture->gate());
  std::vector<int> order(mixture->num_experts());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return used[a] > used[b]; });
  auto gate = reordered(mixture->shared_gate(), order);
  if (gate == nullptr) return model;
  Model ordered = model;
  ordered.scorer = std::make_shared<SoftMixture>(std::move(gate), mixture->num_factors(),
                                                 reordered(mixture->experts(), order));
  ordered.baseline.expert_intercepts = reordered(model.baseline.expert_intercepts, order);
  return ordered;
}

}  // namespace otss
