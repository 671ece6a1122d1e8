#include "learn/posterior/posterior_average.hpp"

#include <algorithm>
#include <numeric>

#include "learn/mixture/relevance.hpp"
#include "learn/options/defaults.hpp"
#include "learn/posterior/leave_one_out.hpp"
#include "otss/data/splits.hpp"

namespace otss::internal {
namespace {

double few_columns_share(const MeanAndError& gain) {
  if (gain.standard_error == 0) return 0;
  const double sureness = (gain.mean / gain.standard_error - defaults::kGainAgainstPooled) /
                          (defaults::kGainForFewColumns - defaults::kGainAgainstPooled);
  return defaults::kMostFewColumnsShare * std::clamp(sureness, 0.0, 1.0);
}

// Gives all the weight to the one K that the user asked for. The pooled model then serves only to
// measure the gain.
void only_the_last(Selection& selection) {
  for (Tried& tried : selection.tried) tried.weight = 0;
  selection.tried.back().weight = 1;
}

// Reduces the weight of the pooled model as the gain becomes significant. The posteriors of
// mixtures already shrink towards the pooled model, and a weight on the pooled model would shrink a
// second time.
void shrink_once(Selection& selection) {
  const double sureness = selection.gain.mean / std::max(selection.gain.standard_error, 1e-12);
  double& pooled = selection.tried.front().weight;
  pooled *= 1 - std::clamp(sureness / defaults::kGainAgainstPooled, 0.0, 1.0);
  double total = 0;
  for (const Tried& tried : selection.tried) total += tried.weight;
  for (Tried& tried : selection.tried) tried.weight /= total;
}

void add_members(const Posterior& posterior, double weight, std::size_t number,
                 std::vector<Member>& members) {
  const std::size_t step =
      (posterior.draws.size() + defaults::kMostMembers - 1) / defaults::kMostMembers;
  const std::size_t taken = (posterior.draws.size() + step - 1) / step;
  for (std::size_t d = 0; d < posterior.draws.size(); d += step)
    members.push_back({.weight = weight / static_cast<double>(taken),
                       .layout = posterior.layout,
                       .theta = posterior.draws[d],
                       .posterior = number});
}

}  // namespace

PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress) {
  std::vector<int> counts{1};
  counts.insert(counts.end(), selection.experts.begin(), selection.experts.end());
  PosteriorAverage average;
  const auto sample = [&](int experts, GateColumns columns) -> const Posterior& {
    SamplingOptions sampling = options;
    sampling.gate_columns = columns;
    average.posteriors.push_back(sample_posterior(problem, pooled, experts, sampling));
    if (progress)
      progress(static_cast<double>(average.posteriors.size()) /
               static_cast<double>(2 * counts.size() - 1));
    return average.posteriors.back();
  };

  HeldOut held_out;
  held_out.pull = {defaults::kPosteriorsPullRows, {counts.begin(), counts.end()}};
  held_out.pull.towards.front() =
      defaults::kPooledShare *
      std::accumulate(selection.experts.begin(), selection.experts.end(), 0);
  for (const int experts : counts) {
    const Posterior& posterior = sample(experts, GateColumns::kAll);
    held_out.settings.push_back({experts, posterior.strengths});
    held_out.eta.push_back(
        leave_one_out_predictors(problem, posterior.layout, posterior.draws, options.num_threads));
  }
  // Nothing is fitted on these folds: the weights for the rows of one fold are chosen on the rows
  // of the other folds.
  const Folds parts{selection.folds, assign_folds(log, selection.folds, selection.seed)};
  average.selection = weigh(log, problem, held_out, parts, true, options.num_threads);
  average.selection.split = "leave-one-out densities of the draws";
  for (const Posterior& posterior : average.posteriors) {
    if (posterior.layout.num_experts == 1) continue;
    average.selection.starts.tried += posterior.starts.tried;
    average.selection.starts.agreeing += posterior.starts.agreeing;
  }
  if (selection.experts.size() == 1) {
    only_the_last(average.selection);
  } else {
    shrink_once(average.selection);
  }

  average.few_columns_share = few_columns_share(average.selection.gain);
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const double weight = average.selection.tried[s].weight;
    if (weight == 0) continue;
    const bool can_choose = counts[s] > 1 && problem.num_contexts > 0 &&
                            problem.layout(counts[s]).baseline() <= kMostRelevances;
    const double few = can_choose ? average.few_columns_share : 0;
    add_members(average.posteriors[s], (1 - few) * weight, s, average.selection.members);
    if (few > 0) {
      const Posterior& posterior = sample(counts[s], GateColumns::kFew);
      add_members(posterior, few * weight, average.posteriors.size() - 1,
                  average.selection.members);
    }
  }
  return average;
}

}  // namespace otss::internal
