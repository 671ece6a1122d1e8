#include "learn/estimate/check_weights.hpp"

#include <algorithm>
#include <vector>

#include "learn/mixture/gate_test.hpp"
#include "learn/mixture/hidden_differences.hpp"

namespace otss::internal {
namespace {

// The variances of the weights are means over this many contexts of the log.
constexpr std::size_t kCheckedContexts = 256;

}  // namespace

double known_share(const LoggedData& log, const SoftMixture& mixture,
                   const Uncertainty& uncertainty, const MeanAndError& gain) {
  // One trade-off has no differences that could be known. Its weights themselves take their place.
  const bool differs = mixture.num_experts() > 1;
  const double certain_gain = judge_gain(gain).lo;
  if (differs && certain_gain <= 0) return 0;
  const std::size_t num_factors = mixture.num_factors();
  const std::size_t step = std::max<std::size_t>(1, log.num_rows() / kCheckedContexts);
  std::vector<double> x(log.num_contexts());
  std::vector<double> w(num_factors), sums(num_factors, 0.0), squares(num_factors, 0.0);
  std::vector<double> errors(uncertainty.num_draws() * num_factors);
  double known = 0, unknown = 0, count = 0;
  for (std::size_t i = 0; i < log.num_rows(); i += step, ++count) {
    for (int j = 0; j < log.num_contexts(); ++j) x[j] = log.features().at(i, j);
    mixture.weights(x, w);
    uncertainty.departures(x, errors);
    for (std::size_t j = 0; j < num_factors; ++j) {
      const double standardised = w[j] * log.encoder().factors[j].scale;
      sums[j] += standardised;
      squares[j] += standardised * standardised;
    }
    for (std::size_t e = 0; e < errors.size(); ++e) {
      const double error = errors[e] * log.encoder().factors[e % num_factors].scale;
      unknown += error * error / uncertainty.num_draws();
    }
  }
  for (std::size_t j = 0; j < num_factors; ++j)
    known += std::max(0.0, squares[j] - (differs ? sums[j] * sums[j] / count : 0));
  if (differs) known *= certain_gain / gain.mean;
  return known + unknown > 0 ? known / (known + unknown) : 0;
}

std::optional<double> hidden_variance(const LoggedData& log, const Problem& problem,
                                      const StandardisedModel& on_columns, int num_threads) {
  const int experts = mixture_of(on_columns).num_experts();
  if (experts > 1) return 0;
  return hidden_variance(problem, problem.layout(experts), mixture_parameters(on_columns),
                         log.groups(), num_threads);
}

std::optional<GateTest> check_gate(const LoggedData& log, const Problem& problem,
                                   const StandardisedModel& on_columns, int num_threads) {
  const SoftMixture& mixture = mixture_of(on_columns);
  if (on_columns.mixes_probabilities || mixture.gate_kind() != GateKind::kLinear)
    return std::nullopt;
  std::optional<GateTest> test =
      test_gate(problem, problem.layout(mixture.num_experts()), mixture_parameters(on_columns),
                log.groups(), num_threads);
  if (!test) return test;
  for (std::size_t j = 0; j < test->discrepancy.size(); ++j)
    test->discrepancy[j] *= problem.outcomes.units().scale / log.encoder().factors[j].scale;
  return test;
}

}  // namespace otss::internal
