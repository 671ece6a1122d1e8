#include "lab/scoring/scorecard.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "lab/theory/margin_transfer.hpp"
#include "lab/worlds/truth.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss::internal {
namespace {

std::size_t largest(std::span<const double> shares) {
  return std::ranges::max_element(shares) - shares.begin();
}

void add_weights(const Simulation& s, std::span<const double> weights, Scorecard& measured) {
  const TruthScore score = score_test_weights(s, weights);
  measured.regret = score.regret;
  measured.weight_mse = score.weight_mse;
  measured.weight_mse_scaled = score.weight_mse_scaled;
  measured.match_rate = score.match_rate;
  const MarginTransfer transfer =
      check_margin_transfer(weights, s.test.weights, s.decisions(s.test));
  if (transfer.violations > 0) {
    throw std::logic_error(
        fmt::format("in {} contexts the regret exceeds the bound of the theory "
                    "(lab/theory/margin_transfer.hpp); "
                    "please report this bug",
                    transfer.violations));
  }
  measured.regret_bound = transfer.mean_bound;
}

// Sets the fields that depend on the gate. `shares` is a matrix of test rows × num_experts.
void add_gate(const Simulation& s, std::span<const double> shares, int num_experts,
              Scorecard& measured) {
  GateUseCounter counter;
  std::vector<std::size_t> found, truth;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto alpha = shares.subspan(i * num_experts, num_experts);
    counter.add(alpha);
    found.push_back(largest(alpha));
    truth.push_back(largest(std::span(s.test.shares).subspan(i * s.num_experts, s.num_experts)));
  }
  const GateUse use = counter.result();
  measured.experts = num_experts;
  measured.gate_entropy = use.entropy;
  measured.effective_experts = use.effective_experts;
  measured.cluster_alignment = adjusted_rand_index(found, truth);
}

double test_log_loss(const Simulation& s, const Fitted& fitted, std::span<const double> x) {
  const int p = fitted.num_contexts();
  std::vector<double> eta(s.test.num_rows);
  for (std::size_t i = 0; i < eta.size(); ++i)
    eta[i] = fitted.predictor(x.subspan(i * p, p), s.logged_factors(s.test, i));
  return prediction_quality({fitted.family(), fitted.baseline().noise}, eta, s.test.outcomes)
      .log_loss;
}

}  // namespace

Scorecard measure(const Simulation& s, const Fitted& fitted) {
  Scorecard measured;
  const std::vector<double> x = encoded_test_contexts(s, fitted);
  if (fitted.has_weights()) {
    add_weights(s, test_weights(s, fitted), measured);
  } else {
    const TruthScore score = score_test_decisions(s, fitted);
    measured.regret = score.regret;
    measured.match_rate = score.match_rate;
  }
  measured.log_loss = test_log_loss(s, fitted, x);
  // The experts of an average are those of its members, which have no common order or number.
  const Mixture* mixture = fitted.mixture();
  if (mixture != nullptr && mixture->gate_kind() != GateKind::kAverage) {
    std::vector<double> shares(s.test.num_rows * mixture->num_experts());
    mixture->shares(s.test.num_rows, x, shares);
    add_gate(s, shares, mixture->num_experts(), measured);
  }
  measured.supported = judge_contexts(fitted.report()).supported ? 1 : 0;
  return measured;
}

Scorecard measure_weights(const Simulation& s, std::span<const double> weights) {
  Scorecard measured;
  add_weights(s, weights, measured);
  return measured;
}

Scorecard measure_oracle(const Simulation& s, std::span<const double> weights) {
  Scorecard measured = measure_weights(s, weights);
  add_gate(s, s.test.shares, s.num_experts, measured);
  return measured;
}

}  // namespace otss::internal
