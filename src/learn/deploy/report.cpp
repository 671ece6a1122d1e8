#include "learn/deploy/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "base/version.hpp"
#include "learn/deploy/segments.hpp"
#include "learn/options/option_check.hpp"

namespace otss::internal {

FitReport begin_report(const LoggedData& log, const FitOptions& options) {
  return begin_report({log.num_rows(), log.fingerprint()}, options);
}

FitReport begin_report(const FittedData& data, const FitOptions& options) {
  FitReport report;
  report.software = fmt::format("otss {}", kVersion);
  report.options = recorded_options(options);
  report.data = data;
  return report;
}

namespace {

constexpr std::size_t kGateRows = 20'000;

// Adds the quality and the calibration of the predictions on held-out rows.
void add_quality(const LoggedData& log, const Problem& problem, std::span<const double> eta,
                 FitDiagnostics& diagnostics) {
  const OutcomeUnits units = problem.outcomes.units();
  std::vector<double> own_eta;
  std::vector<double> outcomes;
  std::vector<double> weights;
  std::vector<std::uint32_t> groups;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (std::isnan(eta[i])) continue;
    own_eta.push_back(units.center + units.scale * eta[i]);
    outcomes.push_back(log.outcomes()[i]);
    weights.push_back(problem.weight(i));
    if (!log.groups().empty()) groups.push_back(log.groups()[i]);
  }
  const PredictedFamily predicted{problem.family(), units.scale};
  diagnostics.quality = prediction_quality(predicted, own_eta, outcomes, weights);
  diagnostics.calibration = calibration_bins(predicted, own_eta, outcomes, weights, groups);
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

FitDiagnostics diagnose(const LoggedData& log, const Problem& problem,
                        std::span<const double> held_out_eta, const StandardisedModel& deployed) {
  return diagnose({log, problem, held_out_eta}, log, deployed);
}

FitDiagnostics diagnose(const HeldOutRows& held_out, const LoggedData& contexts,
                        const StandardisedModel& deployed) {
  FitDiagnostics diagnostics;
  const auto mixture = as_soft_mixture(deployed.scorer);
  const std::size_t num_parts = mixture == nullptr ? 1 : 3;
  parallel_for(num_parts, threads_of_this_loop(), [&](std::size_t part) {
    if (part == 0) add_quality(held_out.log, held_out.problem, held_out.eta, diagnostics);
    if (part == 1) diagnostics.gate = gate_use(contexts, *mixture);
    if (part == 2) {
      diagnostics.segments =
          segment_profiles(contexts, *mixture, held_out.problem.outcomes.units().scale);
    }
  });
  return diagnostics;
}

}  // namespace otss::internal
