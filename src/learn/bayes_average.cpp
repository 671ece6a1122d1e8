#include "learn/bayes_average.hpp"

#include "learn/leave_one_out.hpp"
#include "otss/data/splits.hpp"

namespace otss {
namespace {

// The K that was asked for takes all the weight; the pooled model is only what its gain is measured
// against.
Selection only_the_last(const LoggedData& log, const Problem& problem, const HeldOut& left_out,
                        const Folds& rows) {
  Selection selection;
  std::vector<std::vector<double>> losses;
  for (std::size_t s = 0; s < left_out.settings.size(); ++s) {
    losses.push_back(row_losses(problem, rows, left_out.logits[s]));
    const double weight = s + 1 == left_out.settings.size() ? 1 : 0;
    selection.tried.push_back(
        {left_out.settings[s], mean_and_error(problem, losses[s], {}).mean, weight});
  }
  selection.pooled_loss = selection.tried.front().loss;
  selection.validation_loss = selection.tried.back().loss;
  std::vector<double> gain = losses.front();
  for (std::size_t i = 0; i < gain.size(); ++i) gain[i] -= losses.back()[i];
  selection.gain = mean_and_error(problem, gain, log.groups());
  return selection;
}

// Posteriors of mixtures already shrink towards the pooled model; where left-out rows gain from
// them at all, averaging it in shrinks twice.
void drop_pooled(Selection& selection) {
  const double rest = 1 - selection.tried.front().weight;
  selection.tried.front().weight = 0;
  for (Tried& tried : selection.tried) tried.weight /= rest;
}

}  // namespace

BayesAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                const PooledFit& pooled, const SelectionOptions& selection,
                                const BayesOptions& options,
                                const std::function<void(double)>& progress) {
  std::vector<int> counts{1};
  counts.insert(counts.end(), selection.experts.begin(), selection.experts.end());
  BayesAverage average;
  HeldOut left_out;
  for (const int experts : counts) {
    Posterior posterior = sample_posterior(problem, pooled, experts, options);
    left_out.settings.push_back({experts, posterior.strengths});
    left_out.logits.push_back(
        leave_one_out_logits(problem, posterior.layout, posterior.draws, options.num_threads));
    average.posteriors.push_back(std::move(posterior));
    if (progress)
      progress(static_cast<double>(average.posteriors.size()) / static_cast<double>(counts.size()));
  }
  // The rows' own folds only say which rows weigh the average that predicts the others.
  const Folds parts{selection.folds, assign_folds(log, selection.folds, selection.seed)};
  average.selection = selection.experts.size() == 1
                          ? only_the_last(log, problem, left_out, parts)
                          : weigh(log, problem, left_out, parts, true, options.num_threads);
  if (average.selection.gain.mean > 0) drop_pooled(average.selection);
  average.selection.split = "leave-one-out densities of the draws";
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const Posterior& posterior = average.posteriors[s];
    if (average.selection.tried[s].weight == 0) continue;
    const double share =
        average.selection.tried[s].weight / static_cast<double>(posterior.draws.size());
    for (const auto& theta : posterior.draws)
      average.selection.members.push_back({share, posterior.layout, theta});
  }
  return average;
}

}  // namespace otss
