#include "learn/posterior/posterior_average.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/profile.hpp"
#include "base/threads.hpp"
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

// Returns the K of the posteriors, ascending, without 1.
std::vector<int> counts_of(const std::vector<Posterior>& posteriors) {
  std::set<int> counts;
  for (const Posterior& posterior : posteriors) counts.insert(posterior.layout.num_experts);
  counts.erase(1);
  return {counts.begin(), counts.end()};
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
  parallel_for(folds.count, options.num_threads, [&](std::size_t fold) {
    const Problem training = folds.training(problem, static_cast<int>(fold));
    const auto eta = mean_predictors(problem, sample_posterior(training, pooled, experts, options),
                                     options.num_threads);
    for (std::size_t i = 0; i < eta.size(); ++i) {
      if (folds.of_row[i] == fold) held_out[i] = eta[i];
    }
  });
  return held_out;
}

// Which posterior to sample.
struct Wanted {
  int experts;
  GateColumns columns;
};

// A posterior, and its predictions of held-out rows.
struct SampledCount {
  Posterior posterior;
  std::vector<double> held_out_eta;
};

// Samples posteriors and keeps them, with their predictions of held-out rows.
class Sampler {
 public:
  Sampler(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
          const SelectionOptions& selection, const SamplingOptions& options,
          std::function<void(std::size_t num_sampled)> progress)
      : grouped_(!log.groups().empty()),
        problem_(problem),
        pooled_(pooled),
        options_(options),
        progress_(std::move(progress)),
        run{{selection.folds, assign_folds(log, selection.folds, selection.seed)}, {}} {}

  // Calls sample(i) for each i < count, for several i at the same time. The last come first: they
  // have the largest K, and if these longest tasks started last, the other threads would wait for
  // them.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& sample) {
    parallel_for(count, options_.num_threads, [&](std::size_t task) { sample(count - 1 - task); });
  }

  Posterior sample(const Wanted& wanted) {
    SamplingOptions sampling = options_;
    sampling.gate_columns = wanted.columns;
    Posterior posterior = sample_posterior(problem_, pooled_, wanted.experts, sampling);
    const std::lock_guard lock(progress_mutex_);
    progress_(++num_sampled_);
    return posterior;
  }

  // Samples the posterior with this K, and predicts the held-out rows.
  SampledCount try_count(int experts) {
    SampledCount sampled{sample({experts, GateColumns::kAll}), {}};
    sampled.held_out_eta = held_out_predictors(sampled.posterior);
    return sampled;
  }

  void keep(SampledCount sampled, double prior_weight) {
    run.held_out.settings.push_back(
        {sampled.posterior.layout.num_experts, sampled.posterior.strengths});
    run.held_out.pull.towards.push_back(prior_weight);
    run.held_out.eta.push_back(std::move(sampled.held_out_eta));
    posteriors.push_back(std::move(sampled.posterior));
  }

 private:
  // Without groups, each row is left out by reweighting the draws (leave_one_out.hpp). With groups,
  // rows of one group depend on each other, so the posterior is sampled again without each fold of
  // groups.
  std::vector<double> held_out_predictors(const Posterior& posterior) const {
    if (!grouped_) {
      return leave_one_out_predictors(problem_, posterior.layout, posterior.draws,
                                      options_.num_threads);
    }
    return predictors_without_fold(problem_, pooled_, posterior.layout.num_experts, run.folds,
                                   options_);
  }

  bool grouped_;
  const Problem& problem_;
  const PooledFit& pooled_;
  const SamplingOptions& options_;
  std::mutex progress_mutex_;
  std::size_t num_sampled_ = 0;
  std::function<void(std::size_t)> progress_;

 public:
  HeldOutRun run;
  std::vector<Posterior> posteriors;
};

// Samples the posteriors of the pooled model and of each K, and then of larger K as long as they
// predict better (next_count). If there are more threads than chains, the first of these larger K is
// sampled at the same time, and dropped if it is not needed.
void sample_counts(const LoggedData& log, const Problem& problem, const SelectionOptions& selection,
                   const SamplingOptions& options, Sampler& sampler) {
  std::vector<int> counts{1};
  counts.insert(counts.end(), selection.experts.begin(), selection.experts.end());
  const auto next_of = [&] {
    return selection.may_grow ? next_count(problem, sampler.run, log.groups()) : 0;
  };
  int next = 0;
  const int larger = selection.may_grow ? larger_count(problem, counts) : 0;
  std::optional<SampledCount> of_larger;
  const bool idle_threads = options.num_threads > options.chains * static_cast<int>(counts.size());
  parallel_find(larger > 0 ? 2 : 1, idle_threads ? options.num_threads : 1, [&](std::size_t task) {
    if (task == 1) {
      of_larger = sampler.try_count(larger);
      return false;
    }
    std::vector<SampledCount> sampled(counts.size());
    sampler.for_each(counts.size(),
                     [&](std::size_t i) { sampled[i] = sampler.try_count(counts[i]); });
    const int total = std::accumulate(selection.experts.begin(), selection.experts.end(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i)
      sampler.keep(std::move(sampled[i]), i == 0 ? defaults::kPooledShare * total : counts[i]);
    next = next_of();
    return next == 0;
  });
  for (; next > 0; next = next_of()) {
    sampler.keep(next == larger ? *std::exchange(of_larger, {}) : sampler.try_count(next), next);
  }
}

}  // namespace

PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress,
                                    const WhileSampling& meanwhile) {
  const StageTimer timer(Stage::kSample);
  Sampler sampler(log, problem, pooled, selection, options, [&](std::size_t num_sampled) {
    const double all = 2.0 * static_cast<double>(selection.experts.size()) + 1;
    if (progress) progress(std::min(1.0, static_cast<double>(num_sampled) / all));
  });
  sampler.run.held_out.pull.rows = defaults::kPosteriorsPullRows;
  const SmoothStructure structure{context_sources(log, problem), log.groups()};
  std::optional<SmoothFit> smooth;
  parallel_for(2, options.num_threads, [&](std::size_t task) {
    if (task == 0) sample_counts(log, problem, selection, options, sampler);
    if (task == 1 && selection.smooth) smooth = fit_smooth(problem, structure, options.num_threads);
  });
  const std::size_t num_counts = sampler.posteriors.size();
  if (smooth) {
    add_smooth(problem, sampler.run.folds, structure, {&*smooth}, options.num_threads,
               sampler.run.held_out);
    const std::size_t added = sampler.run.held_out.settings.size() - num_counts;
    sampler.run.held_out.pull.towards.resize(num_counts + added, defaults::kSmoothPriorWeight);
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
  const auto few_share = [&](const MixtureLayout& layout) {
    const bool can_choose =
        layout.num_experts > 1 && problem.num_contexts > 0 && relevances_are_learnable(layout);
    return can_choose ? average.few_columns_share : 0;
  };
  std::vector<Wanted> wanted;
  for (std::size_t s = 0; s < num_counts; ++s) {
    const MixtureLayout& layout = sampler.posteriors[s].layout;
    if (average.selection.tried[s].weight != 0 && few_share(layout) > 0)
      wanted.push_back({layout.num_experts, GateColumns::kFew});
  }
  std::vector<Posterior> with_few_columns(wanted.size());
  parallel_for(2, options.num_threads, [&](std::size_t task) {
    if (task == 0) {
      sampler.for_each(wanted.size(),
                       [&](std::size_t i) { with_few_columns[i] = sampler.sample(wanted[i]); });
    } else if (meanwhile) {
      meanwhile(average.selection, counts_of(sampler.posteriors));
    }
  });
  std::ranges::move(with_few_columns, std::back_inserter(sampler.posteriors));
  for (std::size_t s = 0, few_columns = num_counts; s < num_counts; ++s) {
    const double weight = average.selection.tried[s].weight;
    if (weight == 0) continue;
    const double few = few_share(sampler.posteriors[s].layout);
    add_members(sampler.posteriors[s], (1 - few) * weight, s, average.selection.members);
    if (few == 0) continue;
    add_members(sampler.posteriors[few_columns], few * weight, few_columns,
                average.selection.members);
    ++few_columns;
  }
  for (const Tried& tried : average.selection.tried) {
    if (tried.setting.smooth && tried.weight > 0)
      average.selection.members.push_back(
          smooth_member(problem, tried.weight, tried.setting, *smooth));
  }
  average.posteriors = std::move(sampler.posteriors);
  return average;
}

}  // namespace otss::internal
