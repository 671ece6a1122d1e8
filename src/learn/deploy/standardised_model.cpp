#include "learn/deploy/standardised_model.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/threads.hpp"
#include "model/predictor.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kUsageRows = 20'000;
constexpr std::size_t kModelRowsPerTask = 1024;

void copy_columns(const Problem& problem, std::size_t row, int first, std::span<double> out) {
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = problem.features->at(row, first + static_cast<int>(j));
}

// Returns the summed share of each expert over about kUsageRows evenly spaced rows.
std::vector<double> usage(const Problem& problem, const SoftMixture& mixture) {
  const std::size_t step = std::max<std::size_t>(1, problem.num_rows() / kUsageRows);
  std::vector<double> x(problem.num_contexts);
  std::vector<double> alpha(mixture.num_experts());
  std::vector<double> total(mixture.num_experts(), 0.0);
  for (std::size_t i = 0; i < problem.num_rows(); i += step) {
    copy_columns(problem, i, 0, x);
    mixture.shares(x, alpha);
    for (std::size_t k = 0; k < alpha.size(); ++k) total[k] += problem.weight(i) * alpha[k];
  }
  return total;
}

// Returns the rows of a K×n matrix in the given order.
std::vector<double> reordered(std::span<const double> rows, const std::vector<int>& order) {
  const std::size_t columns = rows.size() / order.size();
  std::vector<double> result;
  for (const int k : order) {
    const auto row = rows.subspan(k * columns, columns);
    result.insert(result.end(), row.begin(), row.end());
  }
  return result;
}

// This visitor returns the gate with its experts in the given order.
struct ReorderedGate {
  const std::vector<int>& order;

  LinearGate linear(const LinearGate& gate) const {
    return {gate.num_contexts(), reordered(gate.slopes(), order),
            reordered(gate.intercepts(), order)};
  }
  std::optional<Gate> operator()(const LinearGate& gate) const { return linear(gate); }
  std::optional<Gate> operator()(const OneHotGate& gate) const {
    return OneHotGate(linear(gate.scores()));
  }
  std::optional<Gate> operator()(const QuadraticGate& gate) const {
    return QuadraticGate(gate.num_contexts(), linear(gate.on_columns()));
  }
  std::optional<Gate> operator()(const CenterGate& gate) const {
    return CenterGate(gate.num_contexts(), reordered(gate.centers(), order), gate.num_experts());
  }
  std::optional<Gate> operator()(const NetworkGate& gate) const {
    Network network = gate.network();
    network.output_slopes = reordered(network.output_slopes, order);
    network.output_intercepts = reordered(network.output_intercepts, order);
    return NetworkGate(std::move(network));
  }
  // An average has the experts of all its members. Experts of different members have no common
  // order, so they are not reordered.
  std::optional<Gate> operator()(const AverageGate&) const { return std::nullopt; }
};

}  // namespace

const SoftMixture& mixture_of(const StandardisedModel& model) {
  return *std::get<std::shared_ptr<const SoftMixture>>(model.scorer);
}

std::vector<double> predictors(const Problem& problem, const StandardisedModel& model,
                               int num_threads, const std::function<bool(std::size_t)>& wanted) {
  std::vector<double> eta(problem.num_rows());
  const std::size_t tasks = (eta.size() + kModelRowsPerTask - 1) / kModelRowsPerTask;
  parallel_for(tasks, num_threads, [&](std::size_t task) {
    std::vector<double> x(problem.num_contexts);
    std::vector<double> z(problem.num_factors());
    const std::size_t end = std::min(eta.size(), (task + 1) * kModelRowsPerTask);
    for (std::size_t i = task * kModelRowsPerTask; i < end; ++i) {
      if (wanted && !wanted(i)) continue;
      copy_columns(problem, i, 0, x);
      copy_columns(problem, i, problem.num_contexts, z);
      eta[i] = linear_predictor(as_scorer(model.scorer), model.baseline, model.mixes_probabilities,
                                x, z);
    }
  });
  return eta;
}

StandardisedModel mixture_model(const MixtureLayout& layout, std::span<const double> theta) {
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
  StandardisedModel model;
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
      LinearGate(layout.num_contexts, std::move(slopes), std::move(intercepts)), layout.num_factors,
      std::move(experts));
  return model;
}

StandardisedModel average_model(const std::vector<Member>& members, std::size_t most_members) {
  const std::size_t kept = std::min(most_members, members.size());
  std::vector<std::size_t> chosen;
  double total = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    chosen.push_back(i * members.size() / kept);
    total += members[chosen.back()].weight;
  }
  StandardisedModel average;
  std::vector<AverageGate::Member> gates;
  std::vector<double> experts;
  for (const std::size_t m : chosen) {
    const double weight = members[m].weight / total;
    const StandardisedModel one = mixture_model(members[m].layout, members[m].theta);
    const SoftMixture& mixture = mixture_of(one);
    gates.push_back({weight, std::get<LinearGate>(mixture.gate())});
    experts.insert(experts.end(), mixture.experts().begin(), mixture.experts().end());
    average.baseline.slopes.resize(one.baseline.slopes.size());
    for (std::size_t j = 0; j < one.baseline.slopes.size(); ++j)
      average.baseline.slopes[j] += weight * one.baseline.slopes[j];
    average.baseline.intercept += weight * one.baseline.intercept;
    average.baseline.expert_intercepts.insert(average.baseline.expert_intercepts.end(),
                                              one.baseline.expert_intercepts.begin(),
                                              one.baseline.expert_intercepts.end());
  }
  average.scorer = std::make_shared<SoftMixture>(
      AverageGate(std::move(gates)), members.front().layout.num_factors, std::move(experts));
  return average;
}

std::vector<double> mixture_parameters(const StandardisedModel& model) {
  const SoftMixture& mixture = mixture_of(model);
  const auto* one_hot = std::get_if<OneHotGate>(&mixture.gate());
  const LinearGate& gate =
      one_hot != nullptr ? one_hot->scores() : std::get<LinearGate>(mixture.gate());
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

StandardisedModel with_gate(const StandardisedModel& mixture, Gate gate) {
  const SoftMixture& map = mixture_of(mixture);
  StandardisedModel result = mixture;
  const auto experts = map.experts();
  result.scorer = std::make_shared<SoftMixture>(
      std::move(gate), map.num_factors(), std::vector<double>(experts.begin(), experts.end()));
  return result;
}

StandardisedModel quadratic_model(const StandardisedModel& on_columns, int num_contexts) {
  const auto& gate = std::get<LinearGate>(mixture_of(on_columns).gate());
  return with_gate(on_columns, QuadraticGate(num_contexts, gate));
}

StandardisedModel ordered_by_use(const Problem& problem, const StandardisedModel& model) {
  const auto mixture = as_soft_mixture(model.scorer);
  if (mixture == nullptr) return model;
  const std::vector<double> used = usage(problem, *mixture);
  std::vector<int> order(mixture->num_experts());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return used[a] > used[b]; });
  std::optional<Gate> gate = std::visit(ReorderedGate{order}, mixture->gate());
  if (!gate) return model;
  StandardisedModel ordered = model;
  ordered.scorer = std::make_shared<SoftMixture>(*std::move(gate), mixture->num_factors(),
                                                 reordered(mixture->experts(), order));
  ordered.baseline.expert_intercepts = reordered(model.baseline.expert_intercepts, order);
  return ordered;
}

}  // namespace otss::internal
