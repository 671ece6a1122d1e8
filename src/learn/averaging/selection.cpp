#include "learn/averaging/selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/threads.hpp"
#include "learn/averaging/stacking.hpp"
#include "learn/mixture/relevance.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/split.hpp"

namespace otss::internal {
namespace {

// Returns the settings of one K, from weak to strong penalties (see predict_held_out): two settings
// that learn a gate strength per context column, then one with a common ridge on all columns.
std::vector<Setting> grid(int experts, const Penalty& pooled, const Problem& problem) {
  std::vector<Setting> settings;
  const auto add = [&](double gate, double expert, bool learn_relevance) {
    Penalty penalty = pooled;
    penalty.gate = std::max(1, problem.num_contexts) / (gate * gate);
    penalty.expert = problem.num_factors() / (expert * expert);
    settings.push_back({experts, penalty, learn_relevance});
  };
  if (problem.layout(experts).baseline() <= kMostRelevances) {
    for (const double expert : defaults::kExpertScales) add(1, expert, true);
  }
  add(defaults::kGateScale, 1, false);
  return settings;
}

std::vector<std::size_t> all_of(const HeldOut& held_out) {
  std::vector<std::size_t> all(held_out.settings.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<double> honest_predictors(const Problem& problem, const HeldOut& held_out,
                                      const Folds& folds, int num_threads) {
  const std::vector<std::uint8_t> part = honest_parts(folds);
  const auto candidates = all_of(held_out);
  std::vector<double> eta(part.size(), 0.0);
  constexpr int kMostSettings = 254;
  const int count = 1 + std::accumulate(part.begin(), part.end(), 0, [](int most, std::uint8_t p) {
                      return p == Folds::kNeverHeldOut ? most : std::max(most, static_cast<int>(p));
                    });
  parallel_for(std::min(count, kMostSettings), num_threads, [&](std::size_t own) {
    const auto weights = stack_weights(problem, held_out, candidates, [&](std::size_t row) {
      return part[row] != own && part[row] != Folds::kNeverHeldOut;
    });
    const auto stacked = stacked_predictors(held_out, candidates, weights);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == own) eta[i] = stacked[i];
    }
  });
  return eta;
}

}  // namespace

Selection weigh(const LoggedData& log, const Problem& problem, const HeldOut& held_out,
                const Folds& folds, bool whole_log, int num_threads) {
  const auto groups = whole_log ? log.groups() : std::span<const std::uint32_t>();
  Selection selection;
  const auto weights = stack_weights(problem, held_out, all_of(held_out),
                                     [&](std::size_t row) { return folds.held_out(row); });
  for (std::size_t s = 0; s < held_out.settings.size(); ++s) {
    const auto losses = row_losses(problem, folds, held_out.eta[s]);
    selection.tried.push_back(
        {held_out.settings[s], mean_and_error(problem, losses, {}).mean, weights[s]});
  }
  std::vector<double> gain = row_losses(problem, folds, held_out.eta.front());
  selection.held_out_eta = honest_predictors(problem, held_out, folds, num_threads);
  const auto honest = row_losses(problem, folds, selection.held_out_eta);
  selection.pooled_loss = selection.tried.front().loss;
  selection.validation_loss = mean_and_error(problem, honest, {}).mean;
  for (std::size_t i = 0; i < gain.size(); ++i) {
    gain[i] -= honest[i];
    if (std::isnan(honest[i])) selection.held_out_eta[i] = honest[i];
  }
  selection.starts = held_out.starts;
  selection.gain = mean_and_error(problem, gain, groups);
  return selection;
}

namespace {

// Fits each setting whose weight is not negligible to all rows. Each fit starts from the parameters
// that the setting had on the first fold.
std::vector<Member> refit_members(const Problem& problem, const HeldOut& held_out,
                                  const Selection& selection, int num_threads) {
  double heaviest = 0;
  // The largest weight for each K. The setting with this weight is always fitted, because
  // distilling into K experts starts from its fit.
  std::map<int, double> heaviest_of_count;
  for (const Tried& tried : selection.tried) {
    heaviest = std::max(heaviest, tried.weight);
    double& of_count = heaviest_of_count[tried.setting.experts];
    of_count = std::max(of_count, tried.weight);
  }
  std::vector<std::size_t> kept;
  double total = 0;
  for (std::size_t s = 0; s < held_out.settings.size(); ++s) {
    const Tried& tried = selection.tried[s];
    const bool first_of_count = tried.weight == heaviest_of_count[tried.setting.experts];
    if (tried.weight < defaults::kNegligibleWeight * heaviest && !first_of_count) continue;
    kept.push_back(s);
    total += tried.weight;
  }
  std::vector<Member> members(kept.size());
  parallel_for(kept.size(), num_threads, [&](std::size_t m) {
    const std::size_t s = kept[m];
    const Tried& tried = selection.tried[s];
    Penalty penalty;  // has no relevances: they are learned again, from all rows
    const MixtureFit fit = fit_setting(problem, tried.setting, held_out.thetas[s].front(), penalty,
                                       {num_threads, true});
    members[m] = {tried.weight / total, fit.layout, fit.theta, std::move(penalty)};
  });
  return members;
}

// Returns, for each K, the setting with the lowest held-out loss, with the relevances learned on
// the subsample: learning relevances again on all rows would take a dozen fits.
std::vector<Setting> best_per_count(const Selection& rough, const HeldOut& held_out) {
  std::map<int, std::size_t> best;
  for (std::size_t s = 0; s < rough.tried.size(); ++s) {
    const auto [found, fresh] = best.try_emplace(rough.tried[s].setting.experts, s);
    if (!fresh && rough.tried[s].loss < rough.tried[found->second].loss) found->second = s;
  }
  std::vector<Setting> settings;
  for (const auto& [experts, s] : best)
    settings.push_back({experts, held_out.penalties[s].front(), false});
  return settings;
}

}  // namespace

Selection select_settings(const LoggedData& log, const Problem& problem,
                          const Penalty& pooled_penalty, const SelectionOptions& options,
                          const std::function<void(double)>& progress) {
  std::vector<Setting> settings{{1, pooled_penalty}};
  for (const int experts : options.experts) {
    for (const Setting& setting : grid(experts, pooled_penalty, problem))
      settings.push_back(setting);
  }
  const HeldOutEffort effort{options.starts, options.seed, options.num_threads, options.start};
  const auto [folds, words] = split_rows(log, {options.folds, options.validation, options.seed});
  if (problem.num_rows() <= defaults::kSelectionRows) {
    const HeldOut held_out = predict_held_out(problem, folds, settings, effort, progress);
    Selection selection = weigh(log, problem, held_out, folds, true, options.num_threads);
    selection.members = refit_members(problem, held_out, selection, options.num_threads);
    selection.split = words;
    return selection;
  }

  // The penalties are chosen on a subsample. Then one split of all rows gives the weight of each K
  // and the reported losses.
  std::vector<std::size_t> rows;
  const Problem small = subsample(problem, defaults::kSelectionRows, &rows);
  Folds small_folds{folds.count, {}};
  for (const std::size_t row : rows) small_folds.of_row.push_back(folds.of_row[row]);
  const HeldOut rough_held_out =
      predict_held_out(small, small_folds, settings, effort, [&](double done) {
        if (progress) progress(0.6 * done);
      });
  const Selection rough =
      weigh(log, small, rough_held_out, small_folds, false, options.num_threads);
  const auto [whole_split, whole_words] =
      folds.count == 1 ? NamedFolds{folds, words}
                       : one_split(log, defaults::kHeldOutShare, options.seed);
  const HeldOut held_out = predict_held_out(
      problem, whole_split, best_per_count(rough, rough_held_out), effort, [&](double done) {
        if (progress) progress(0.6 + 0.4 * done);
      });
  Selection selection = weigh(log, problem, held_out, whole_split, true, options.num_threads);
  selection.members = refit_members(problem, held_out, selection, options.num_threads);
  selection.split =
      fmt::format("{}; penalties chosen on a subsample of {} rows", whole_words, rows.size());
  return selection;
}

}  // namespace otss::internal
