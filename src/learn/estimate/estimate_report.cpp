#include "learn/estimate/estimate_report.hpp"

namespace otss::internal {
namespace {

AveragedSettings settings_of(const Estimate& found) {
  const Selection& selection = found.average.selection;
  AveragedSettings settings;
  for (const Tried& tried : selection.tried) {
    settings.tried.push_back({.experts = tried.setting.experts,
                              .gate_penalty = tried.setting.penalty.gate,
                              .expert_penalty = tried.setting.penalty.expert,
                              .learns_relevance = tried.setting.learn_relevance,
                              .linear_weights = tried.setting.smooth,
                              .log_loss = tried.loss,
                              .weight = tried.weight});
  }
  const Penalty& pooled = selection.tried.front().setting.penalty;
  settings.baseline_penalty = pooled.baseline;
  settings.center_penalty = pooled.center;
  settings.experts = found.distilled.layout.num_experts;
  settings.distilling = found.distilled.loss;
  settings.seed_changes = selection.seed_changes;
  if (!found.average.posteriors.empty())
    settings.few_columns_share = found.average.few_columns_share;
  return settings;
}

ChainsReport chains_of(const Posterior& posterior) {
  return {.experts = posterior.layout.num_experts,
          .gate_columns = posterior.gate_columns,
          .chains = posterior.num_chains,
          .draws = posterior.draws.size() / posterior.num_chains,
          .acceptance = posterior.acceptance,
          .log_posterior = posterior.log_posterior,
          .weights = posterior.weights,
          .warning = mixing_warning(posterior)};
}

}  // namespace

void add_estimate(const Estimate& found, FitReport& report) {
  const Selection& selection = found.average.selection;
  report.choice = {settings_of(found), found.why, selection.split, {}, found.chosen_on};
  report.held_out = {selection.validation_loss, selection.pooled_loss};
  report.gain = selection.gain;
  for (const Posterior& posterior : found.average.posteriors)
    report.chains.push_back(chains_of(posterior));
}

}  // namespace otss::internal
