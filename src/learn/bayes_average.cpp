#include "learn/bayes_average.hpp"

#include "learn/leave_one_out.hpp"
#include "otss/data/splits.hpp"

namespace otss {

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
  average.selection = weigh(log, problem, left_out, parts, true, options.num_threads);
  average.selection.split = "leave-one-out densities of the draws";
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const Posterior& posterior = average.posteriors[s];
    const double share =
        average.selection.tried[s].weight / static_cast<double>(posterior.draws.size());
    for (const auto& theta : posterior.draws)
      average.selection.members.push_back({share, posterior.layout, theta});
  }
  return average;
}

}  // namespace otss
