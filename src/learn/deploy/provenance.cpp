#include "learn/deploy/provenance.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/version.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/options/option_check.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {

Json provenance_of(const LoggedData& log, const FitOptions& options) {
  return {{"software", fmt::format("otss {}", kVersion)},
          {"options", options_to_json(options)},
          {"data", {{"rows", log.num_rows()}, {"fingerprint", log.fingerprint()}}}};
}

Json heterogeneity_to_json(const MeanAndError& gain) {
  constexpr double kZ95 = 1.959963984540054;
  const double lo = gain.mean - kZ95 * gain.standard_error;
  const double hi = gain.mean + kZ95 * gain.standard_error;
  return {{"supported", lo > 0}, {"gain", gain.mean}, {"lo", lo}, {"hi", hi}};
}

namespace {

constexpr std::size_t kGateRows = 20'000;

PredictionQuality quality_of(const LoggedData& log, const Problem& problem,
                             std::span<const double> eta) {
  const OutcomeUnits units = problem.outcomes.units();
  std::vector<double> own_eta;
  std::vector<double> outcomes;
  std::vector<double> weights;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (std::isnan(eta[i])) continue;
    own_eta.push_back(units.center + units.scale * eta[i]);
    outcomes.push_back(log.outcomes()[i]);
    weights.push_back(problem.weight(i));
  }
  return prediction_quality({problem.family(), units.scale}, own_eta, outcomes, weights);
}

GateUse gate_use(const LoggedData& log, const SoftMixture& mixture) {
  const std::size_t step = std::max<std::size_t>(1, log.num_rows() / kGateRows);
  std::vector<double> x(log.num_contexts());
  std::vector<double> alpha(mixture.num_experts());
  GateUseCounter counter;
  for (std::size_t i = 0; i < log.num_rows(); i += step) {
    for (int j = 0; j < log.num_contexts(); ++j) x[j] = log.features().at(i, j);
    mixture.shares(x, alpha);
    counter.add(alpha);
  }
  return counter.result();
}

}  // namespace

Json diagnostics_to_json(const LoggedData& log, const Problem& problem,
                         std::span<const double> held_out_eta, const StandardisedModel& deployed) {
  const PredictionQuality quality = quality_of(log, problem, held_out_eta);
  Json json = {{"log_loss", quality.log_loss}, {"calibration_slope", quality.calibration_slope}};
  if (problem.family() == OutputFamily::kBernoulli) {
    json["brier"] = quality.squared_error;
    json["auc"] = quality.auc;
  } else {
    json["squared_error"] = quality.squared_error;
    json["explained"] = quality.explained;
  }
  const auto mixture = as_soft_mixture(deployed.scorer);
  if (mixture == nullptr) return json;
  const GateUse use = gate_use(log, *mixture);
  json["gate_entropy"] = use.entropy;
  json["effective_experts"] = use.effective_experts;
  json["effective_experts_overall"] = use.effective_experts_overall;
  json["expert_usage"] = use.usage;
  return json;
}

}  // namespace otss
