#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/output/curves.hpp"
#include "lab/theory/decompositions.hpp"
#include "lab/worlds/oracle_gate.hpp"
#include "lab/worlds/truth.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {
namespace {

constexpr int kRowCounts[] = {2000, 8000, 32'000, 100'000};
// Gates with many parameters are not fitted to more rows than this, because it would take minutes.
constexpr int kMostFlexibleRows = 32'000;

SoftModel true_model(const Simulation& s) { return {s.num_experts, s.test.shares, s.experts}; }

// Returns the shares and the experts of a mixture in the test contexts.
SoftModel estimated_model(const Simulation& s, const Fitted& fitted) {
  const Mixture& mixture = *fitted.mixture();
  SoftModel model{mixture.num_experts(), {}, {}};
  model.shares.resize(s.test.num_rows * model.num_experts);
  mixture.shares(s.test.num_rows, encoded_test_contexts(s, fitted), model.shares);
  for (int k = 0; k < model.num_experts; ++k) {
    const auto expert = mixture.expert(k);
    model.experts.insert(model.experts.end(), expert.begin(), expert.end());
  }
  return model;
}

// Returns `model` with its experts renumbered, so that expert k is expert order[k] of `model`.
SoftModel renumbered(const SoftModel& model, const std::vector<int>& order) {
  SoftModel result = model;
  const int num_factors = model.num_factors();
  for (int k = 0; k < model.num_experts; ++k) {
    for (int j = 0; j < num_factors; ++j)
      result.experts[k * num_factors + j] = model.experts[order[k] * num_factors + j];
    for (std::size_t i = 0; i < model.num_rows(); ++i)
      result.shares[i * model.num_experts + k] = model.shares[i * model.num_experts + order[k]];
  }
  return result;
}

// Returns the estimate with the numbering of experts that makes the bound on its error smallest.
SoftModel aligned(const SoftModel& estimate, const SoftModel& truth) {
  std::vector<int> order(truth.num_experts);
  std::iota(order.begin(), order.end(), 0);
  SoftModel best = estimate;
  double least = std::numeric_limits<double>::infinity();
  do {
    SoftModel candidate = renumbered(estimate, order);
    const double bound = expert_gate_bound(candidate, truth).total();
    if (bound >= least) continue;
    least = bound;
    best = std::move(candidate);
  } while (std::ranges::next_permutation(order).found);
  return best;
}

std::vector<double> weights_of(const SoftModel& shares, const SoftModel& experts) {
  const int num_factors = experts.num_factors();
  std::vector<double> w(shares.num_rows() * num_factors, 0.0);
  for (std::size_t i = 0; i < shares.num_rows(); ++i) {
    for (int k = 0; k < shares.num_experts; ++k) {
      for (int j = 0; j < num_factors; ++j)
        w[i * num_factors + j] +=
            shares.shares[i * shares.num_experts + k] * experts.experts[k * num_factors + j];
    }
  }
  return w;
}

// Adds the two parts of the error of a mixture: the estimated gate with the true experts, and the
// estimated experts with the true gate.
void add_parts(const Simulation& s, const Fitted& fitted, std::vector<MethodResult>& results) {
  const SoftModel truth = true_model(s);
  const SoftModel estimate = aligned(estimated_model(s, fitted), truth);
  results.push_back({"learned-gate", measure_weights(s, weights_of(estimate, truth))});
  results.push_back({"learned-experts", measure_weights(s, weights_of(truth, estimate))});
}

std::vector<MethodResult> run_losses(std::uint64_t seed, int rows, TruthForm truth) {
  const Simulation s = simulate_matched({.n = rows, .truth = truth, .seed = seed});
  const LoggedData log = training_log(s);
  std::vector<MethodResult> results;
  const auto add = [&](const char* name, FitOptions options) {
    options.threads = 1;
    results.push_back({name, measure(s, fit(log, options))});
  };
  const auto add_flexible = [&](const char* name, GateChoice gate) {
    if (rows > kMostFlexibleRows) return results.push_back({name, {}});
    add(name, {.method = Method::kOtss, .experts = s.num_experts, .gate = gate});
  };
  add("pooled", {.method = Method::kPooled});
  add("auto", {});
  const Fitted mixture =
      fit(log, {.method = Method::kOtss, .experts = s.num_experts, .threads = 1});
  results.push_back({"otss", measure(s, mixture)});
  add_flexible("otss-quadratic", GateChoice::kQuadratic);
  add_flexible("otss-mlp", GateChoice::kMlp);
  add_parts(s, mixture, results);
  results.push_back({kOracleGate, measure_oracle(s, oracle_gate_weights(s))});
  return results;
}

StudyPage present_losses(const Study&, const std::vector<Contest>& contests) {
  StudyPage page;
  const std::size_t half = contests.size() / 2;
  for (std::size_t truth = 0; truth < 2; ++truth) {
    std::vector<CurvePoint> points;
    for (std::size_t i = 0; i < half; ++i)
      points.push_back({static_cast<double>(kRowCounts[i]), &contests[truth * half + i]});
    page.table += fmt::format("## Regret, {} truth\n\n{}\n", truth == 0 ? "soft" : "hard",
                              curve_table("rows", points));
  }
  return page;
}

}  // namespace

Study losses_study() {
  Study study{.name = "losses", .title = "Panel B: where the loss comes from"};
  study.about =
      "The logs are those of Panel B (five experts, rand 1.2), with 2,000 to 100,000 rows. The "
      "error "
      "of a mixture is the sum of an expert part and a gate part (Proposition \"OTSS expert/gate "
      "decomposition\"): \"learned gate\" has the shares of the fitted mixture and the true "
      "experts, "
      "\"learned experts\" has the true shares and the fitted experts, with the numbering of "
      "experts "
      "that makes the bound on the error smallest. OTSS is told the number of experts; the "
      "quadratic "
      "and the network gate are more flexible. \"auto\" is the default.";
  study.has_validation = false;
  study.specification = {{"simulate", "matched"}, {"rows", kRowCounts}};
  for (const TruthForm truth : {TruthForm::kSoft, TruthForm::kHard}) {
    for (const int rows : kRowCounts) {
      study.settings.push_back(
          {fmt::format("{}-{}", word(truth), rows),
           fmt::format("{} truth, {} rows", word(truth), rows),
           [rows, truth](std::uint64_t seed) { return run_losses(seed, rows, truth); },
           {}});
    }
  }
  study.present = present_losses;
  return study;
}

}  // namespace otss::internal
