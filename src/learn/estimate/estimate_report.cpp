#include "learn/estimate/estimate_report.hpp"

namespace otss::internal {
namespace {

// Adds the mixtures of probabilities that were tried. If one of them is deployed, it has all the
// weight.
void add_probabilities(const ProbabilityMixture& probabilities, AveragedSettings& settings) {
  if (probabilities.chosen) {
    for (TriedMixture& tried : settings.tried) tried.weight = 0;
  }
  const ProbabilitySetting& chosen = probabilities.setting;
  for (const TriedProbabilities& tried : probabilities.tried) {
    const ProbabilitySetting& setting = tried.setting;
    const bool deployed = probabilities.chosen && setting.experts == chosen.experts &&
                          setting.penalty.gate == chosen.penalty.gate;
    settings.tried.push_back({.experts = setting.experts,
                              .gate_penalty = setting.penalty.gate,
                              .expert_penalty = setting.penalty.expert,
                              .mixes_probabilities = true,
                              .same_shares = setting.same_shares,
                              .log_loss = tried.loss,
                              .weight = deployed ? 1.0 : 0.0});
  }
}

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
  add_probabilities(found.probabilities, settings);
  const Penalty& pooled = selection.tried.front().setting.penalty;
  settings.baseline_penalty = pooled.baseline;
  settings.center_penalty = pooled.center;
  if (found.probabilities.chosen) {
    settings.experts = found.probabilities.layout.num_experts;
    return settings;
  }
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
  const ProbabilityMixture& probabilities = found.probabilities;
  if (probabilities.chosen) {
    report.held_out = {probabilities.loss, probabilities.pooled_loss};
    report.gain = probabilities.gain;
    report.context_gain = probabilities.context_gain.value_or(MeanAndError{});
    return;
  }
  report.held_out = {selection.validation_loss, selection.pooled_loss};
  report.gain = selection.gain;
  for (const Posterior& posterior : found.average.posteriors)
    report.chains.push_back(chains_of(posterior));
}

}  // namespace otss::internal
