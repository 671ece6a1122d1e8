#include "learn/posterior/posterior_average.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/linear_predictors.hpp"
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
// mixtures already shrink towards the pooled model. Averaging them with the pooled model would
// shrink them a second time.
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

// Returns the linear predictors of all rows, averaged over the draws.
std::vector<double> mean_predictors(const Problem& problem, const Posterior& posterior,
                                    int num_threads) {
  std::vector<double> mean(problem.num_rows(), 0.0);
  std::vector<double> eta(problem.num_rows());
  for (const std::vector<double>& draw : posterior.draws) {
    linear_predictors(*problem.features, posterior.layout, draw, num_threads, eta);
    for (std::size_t i = 0; i < eta.size(); ++i)
      mean[i] += eta[i] / static_cast<double>(posterior.draws.size());
  }
  return mean;
}

// For each fold, samples the posterior given all rows outside the fold, and predicts the rows of
// the fold.
std::vector<double> predictors_without_fold(const Problem& problem, const PooledFit& pooled,
                                            int experts, const Folds& folds,
                                            const SamplingOptions& options) {
  std::vector<double> held_out(problem.num_rows(), 0.0);
  for (int fold = 0; fold < folds.count; ++fold) {
    const Problem training = folds.training(problem, fold);
    const auto eta = mean_predictors(problem, sample_posterior(training, pooled, experts, options),
                                     options.num_threads);
    for (std::size_t i = 0; i < eta.size(); ++i) {
      if (folds.of_row[i] == fold) held_out[i] = eta[i];
    }
  }
  return held_out;
}

// Samples posteriors one after the other and keeps them, with their predictions of held-out rows.
class Sampler {
 public:
  Sampler(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
          const SelectionOptions& selection, const SamplingOptions& options)
      : grouped_(!log.groups().empty()),
        problem_(problem),
        pooled_(pooled),
        options_(options),
        run{{selection.folds, assign_folds(log, selection.folds, selection.seed)}, {}} {}

  const Posterior& sample(int experts, GateColumns columns) {
    SamplingOptions sampling = options_;
    sampling.gate_columns = columns;
    posteriors.push_back(sample_posterior(problem_, pooled_, experts, sampling));
    return posteriors.back();
  }

  // Samples the posterior with this K, and predicts the held-out rows. Without groups, each row is
  // left out by reweighting the draws (leave_one_out.hpp). With groups, rows of one group depend on
  // each other, so the posterior is sampled again without each fold of groups.
  void try_count(int experts, double prior_weight) {
    const Posterior& posterior = sample(experts, GateColumns::kAll);
    run.held_out.settings.push_back({experts, posterior.strengths});
    run.held_out.eta.push_back(
        grouped_ ? predictors_without_fold(problem_, pooled_, experts, run.folds, options_)
                 : leave_one_out_predictors(problem_, posterior.layout, posterior.draws,
                                            options_.num_threads));
    run.held_out.pull.towards.push_back(prior_weight);
  }

 private:
  bool grouped_;
  const Problem& problem_;
  const PooledFit& pooled_;
  const SamplingOptions& options_;

 public:
  HeldOutRun run;
  std::vector<Posterior> posteriors;
};

}  // namespace

PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress) {
  Sampler sampler(log, problem, pooled, selection, options);
  sampler.run.held_out.pull.rows = defaults::kPosteriorsPullRows;
  const auto report = [&] {
    const auto done = static_cast<double>(sampler.posteriors.size());
    if (progress) progress(std::min(1.0, done / (2.0 * selection.experts.size() + 1)));
  };
  const int total = std::accumulate(selection.experts.begin(), selection.experts.end(), 0);
  sampler.try_count(1, defaults::kPooledShare * total);
  for (const int experts : selection.experts) {
    sampler.try_count(experts, experts);
    report();
  }
  while (selection.may_grow) {
    const int next = next_count(problem, sampler.run, log.groups());
    if (next == 0) break;
    sampler.try_count(next, next);
  }
  const std::size_t num_counts = sampler.posteriors.size();
  std::optional<SmoothFit> smooth;
  if (selection.smooth) {
    const SmoothStructure structure{context_sources(log, problem), log.groups()};
    smooth = fit_smooth(problem, structure, options.num_threads);
    add_smooth(problem, sampler.run.folds, structure, &*smooth, options.num_threads,
               sampler.run.held_out);
    sampler.run.held_out.pull.towards.push_back(defaults::kSmoothPriorWeight);
  }
  PosteriorAverage average;
  average.selection = weigh(problem, std::span(&sampler.run, 1), log.groups(), options.num_threads);
  average.selection.split =
      log.groups().empty()
          ? "leave-one-out densities of the draws"
          : fmt::format("{}-fold cross-validation, groups kept together", selection.folds);
  for (const Posterior& posterior : sampler.posteriors) {
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
  for (std::size_t s = 0; s < num_counts; ++s) {
    const double weight = average.selection.tried[s].weight;
    if (weight == 0) continue;
    const MixtureLayout layout = sampler.posteriors[s].layout;
    const bool can_choose =
        layout.num_experts > 1 && problem.num_contexts > 0 && relevances_are_learnable(layout);
    const double few = can_choose ? average.few_columns_share : 0;
    add_members(sampler.posteriors[s], (1 - few) * weight, s, average.selection.members);
    if (few > 0) {
      const Posterior& posterior = sampler.sample(layout.num_experts, GateColumns::kFew);
      report();
      add_members(posterior, few * weight, sampler.posteriors.size() - 1,
                  average.selection.members);
    }
  }
  if (smooth) {
    average.selection.members.push_back(
        smooth_member(problem, average.selection.tried.back().weight, pooled.penalty, *smooth));
  }
  average.posteriors = std::move(sampler.posteriors);
  return average;
}

}  // namespace otss::internal
