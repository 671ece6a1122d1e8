#include "learn/averaging/selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/averaging/continued_fit.hpp"
#include "learn/mixture/relevance.hpp"
#include "learn/mixture/smooth_rank.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/split.hpp"

namespace otss::internal {

double summed_context_variance(const Problem& problem) {
  double sum = 0;
  const std::size_t step = 1 + problem.num_rows() / defaults::kSelectionRows;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < problem.num_rows(); i += step, ++rows) {
    for (int j = 0; j < problem.num_contexts; ++j) {
      const double x = problem.features->at(i, j);
      sum += x * x;
    }
  }
  return std::max(1.0, sum / static_cast<double>(rows));
}

namespace {

// Returns the settings of one K, from weak to strong penalties as predict_held_out() requires. The
// first two settings learn a gate strength per context column; the last has a common ridge on all
// columns. If strengths per column cannot be learned, one setting with a weaker common ridge
// replaces the first two. With `ridges` there are many common ridges instead of all these.
std::vector<Setting> grid(int experts, const Penalty& pooled, const Problem& problem, bool ridges) {
  const double context_variance = summed_context_variance(problem);
  std::vector<Setting> settings;
  const auto add = [&](double gate, double expert, bool learn_relevance) {
    Penalty penalty = pooled;
    penalty.gate = context_variance / (gate * gate);
    penalty.expert = problem.num_factors() / (expert * expert);
    settings.push_back({experts, penalty, learn_relevance});
  };
  if (ridges) {
    for (const double expert : defaults::kRidgeExpertScales) {
      for (const double gate : defaults::kRidgeGateScales) add(gate, expert, false);
    }
    return settings;
  }
  if (relevances_are_learnable(problem.layout(experts))) {
    for (const double expert : defaults::kExpertScales) add(1, expert, true);
  } else {
    add(defaults::kWideGateScale, 1, false);
  }
  add(defaults::kGateScale, 1, false);
  return settings;
}

// Returns the seed for dividing the rows into folds the `repeat`-th time. Division 0 uses the seed
// of the fit.
std::uint64_t repeat_seed(std::uint64_t seed, int repeat) {
  constexpr std::uint64_t kFarApart = 1'000'003;
  return seed + kFarApart * repeat;
}

// The setting of one K with the lowest held-out loss, its mean loss, and its loss for each row.
struct BestOfCount {
  int experts = 0;
  std::size_t setting = 0;
  double mean = 0;
  std::vector<double> losses;
};

std::vector<BestOfCount> best_of_counts(const Problem& problem, const HeldOutRun& run) {
  std::map<int, BestOfCount> best;
  for (std::size_t s = 0; s < run.held_out.settings.size(); ++s) {
    const Setting& setting = run.held_out.settings[s];
    if (setting.smooth) continue;
    auto losses = row_losses(problem, run.folds, run.held_out.eta[s]);
    const double mean = weighted_mean(problem, losses);
    const auto [found, fresh] = best.try_emplace(setting.experts);
    if (fresh || mean < found->second.mean) found->second = {setting.experts, s, mean, losses};
  }
  std::vector<BestOfCount> result;
  for (auto& [experts, one] : best) result.push_back(std::move(one));
  return result;
}

}  // namespace

Member smooth_member(const Problem& problem, double weight, const Setting& setting,
                     const SmoothFit& linear) {
  const SmoothFit fit = setting.one_direction ? along_one_direction(problem, linear) : linear;
  const MixtureLayout layout = problem.layout(1);
  Member member{weight, layout, std::vector<double>(layout.size(), 0.0), setting.penalty};
  const auto p = problem.num_contexts;
  const auto num_factors = problem.num_factors();
  for (int i = 0; i <= p; ++i)
    member.theta[layout.baseline() + i] = fit.coefficients(i, num_factors);
  for (int j = 0; j < num_factors; ++j) member.theta[layout.expert(0) + j] = fit.coefficients(p, j);
  member.slopes = fit.coefficients.topLeftCorner(p, num_factors);
  return member;
}

int larger_count(const Problem& problem, std::span<const int> counts) {
  if (counts.size() < 2) return 0;
  const int next = counts[counts.size() - 1] + counts[counts.size() - 2];
  const bool enough_rows =
      problem.num_rows() >= defaults::kRowsPerParameter * problem.layout(next).size();
  return enough_rows && next <= defaults::kMostExperts ? next : 0;
}

int next_count(const Problem& problem, const HeldOutRun& run,
               std::span<const std::uint32_t> groups) {
  const std::vector<BestOfCount> best = best_of_counts(problem, run);
  if (best.size() < 2) return 0;
  const BestOfCount& largest = best.back();
  const BestOfCount& before = best[best.size() - 2];
  std::vector<double> gain = before.losses;
  for (std::size_t i = 0; i < gain.size(); ++i) gain[i] -= largest.losses[i];
  const MeanAndError better = mean_and_error(problem, gain, groups);
  if (better.mean <= better.standard_error) return 0;
  return larger_count(problem, std::array{before.experts, largest.experts});
}

namespace {

// Fits each setting whose weight is not negligible to all rows. Each fit starts from the parameters
// that the setting had on the first fold. `smooth` returns the fit of the smooth model to all rows.
std::vector<Member> refit_members(const Problem& problem, const std::function<SmoothFit()>& smooth,
                                  const HeldOut& held_out, const Selection& selection,
                                  const SelectionOptions& options) {
  const StageTimer timer(Stage::kFit);
  const FitEffort effort{options.num_threads, !options.is_sample};
  double heaviest = 0;
  int heaviest_count = 0;
  // For each K, the largest weight of a setting with this K. The setting with this weight is always
  // fitted, because distilling into K experts starts from the parameters of that setting.
  std::map<int, double> heaviest_of_count;
  for (const Tried& tried : selection.tried) {
    if (tried.weight > heaviest) heaviest_count = tried.setting.experts;
    heaviest = std::max(heaviest, tried.weight);
    if (tried.setting.smooth) continue;
    double& of_count = heaviest_of_count[tried.setting.experts];
    of_count = std::max(of_count, tried.weight);
  }
  const double least =
      options.is_sample ? defaults::kNegligibleOnSample : defaults::kNegligibleWeight;
  const auto negligible = [&](const Tried& tried) { return tried.weight < least * heaviest; };
  std::vector<std::size_t> kept;
  double total = 0;
  for (std::size_t s = 0; s < held_out.settings.size(); ++s) {
    const Tried& tried = selection.tried[s];
    // On a sample, a K that is too large is not fitted: distilling will not need so many experts.
    const bool too_large = options.is_sample && tried.setting.experts > heaviest_count;
    const bool first_of_count = options.treatment != Treatment::kPick && !tried.setting.smooth &&
                                !too_large &&
                                tried.weight == heaviest_of_count[tried.setting.experts];
    if (negligible(tried) && !first_of_count) continue;
    kept.push_back(s);
    total += tried.weight;
  }
  std::vector<Member> members(kept.size());
  parallel_for(kept.size(), effort.num_threads, [&](std::size_t m) {
    const std::size_t s = kept[m];
    const Tried& tried = selection.tried[s];
    if (tried.setting.smooth) {
      members[m] = smooth_member(problem, tried.weight / total, tried.setting, smooth());
      members[m].setting = s;
      return;
    }
    // On a sample, a fit whose only use is to be a start of distilling is not fitted to more rows.
    if (!options.refit || (options.is_sample && negligible(tried))) {
      members[m] = {tried.weight / total,
                    problem.layout(tried.setting.experts),
                    held_out.thetas[s].front(),
                    held_out.penalties[s].front(),
                    0,
                    s};
      return;
    }
    const std::vector<double>& start = held_out.thetas[s].front();
    const bool continues = options.is_sample && !tried.setting.learn_relevance;
    // Without relevances at first: they are learned again, from all rows.
    Penalty penalty = continues ? tried.setting.penalty : Penalty{};
    const MixtureFit fit = continues ? continued_fit(problem, tried.setting, start, effort)
                                     : fit_setting(problem, tried.setting, start, penalty, effort);
    members[m] = {tried.weight / total, fit.layout, fit.theta, std::move(penalty), 0, s};
  });
  return members;
}

// Returns the share of contexts whose best decision depends on the division into folds
// (AveragedSettings::seed_changes); nothing if there was one division.
std::optional<double> changes_between_divisions(const Problem& problem, const Selection& selection,
                                                int num_threads) {
  std::vector<Distiller> averages;
  for (const std::vector<double>& weights : selection.weights_by_division) {
    std::vector<Member> members = selection.members;
    double total = 0;
    for (const Member& member : members) total += weights[member.setting];
    for (Member& member : members) member.weight = weights[member.setting] / total;
    averages.emplace_back(problem, members, num_threads);
  }
  double sum = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < averages.size(); ++a) {
    for (std::size_t b = a + 1; b < averages.size(); ++b, ++pairs)
      sum += averages[a].changed_decisions(averages[b]);
  }
  return pairs > 0 ? std::optional(sum / pairs) : std::nullopt;
}

// Returns a setting with `experts` experts. Its penalty is copied from the best setting with the
// largest K tried so far. The penalty includes the relevances that this best setting learned,
// because learning relevances again would take a dozen fits.
Setting enlarged(const Problem& problem, const HeldOutRun& run, int experts) {
  const std::size_t best = best_of_counts(problem, run).back().setting;
  return {experts, run.held_out.penalties[best].front(), false};
}

// Fits settings on one division of the rows into folds and predicts the held-out rows. First come
// the given settings, then larger K as long as they predict better (next_count). `groups` is empty if
// the rows are independent.
HeldOutRun run_folds(const Problem& problem, const Folds& folds, std::vector<Setting> settings,
                     std::span<const std::uint32_t> groups, const SelectionOptions& options,
                     const KnownStarts& known, std::uint64_t seed,
                     const std::function<void(double)>& progress) {
  const HeldOutEffort effort{options.starts, seed, options.num_threads, options.start, known};
  HeldOutRun run{folds, predict_held_out(problem, folds, settings, effort, progress)};
  run.held_out.treatment = options.treatment;
  for (int next = 1; options.may_grow && next > 0;) {
    next = next_count(problem, run, groups);
    if (next == 0) break;
    // With more experts than this, the engine has no fast kernel, so one start has to do.
    constexpr int kMostFastExperts = 8;
    HeldOutEffort for_next = effort;
    if (next > kMostFastExperts) for_next.starts = 1;
    append(predict_held_out(problem, folds, {settings.front(), enlarged(problem, run, next)},
                            options.is_sample ? for_next : effort, {}),
           run.held_out);
  }
  return run;
}

// Returns the indices of the settings that the first division of the rows does not rule out: the
// pooled model, and every setting whose weight is not negligible. The smooth models are fitted
// together, so all of them stay if one does.
std::vector<std::size_t> worth_repeating(const Problem& problem, const HeldOutRun& first,
                                         int num_threads) {
  const std::vector<double> weights = run_weights(problem, first, num_threads);
  const double heaviest = std::ranges::max(weights);
  std::vector<std::size_t> kept;
  const auto matters = [&](std::size_t s) {
    return weights[s] >= defaults::kNegligibleWeight * heaviest;
  };
  const auto& settings = first.held_out.settings;
  bool smooth_matters = false;
  for (std::size_t s = 0; s < weights.size(); ++s)
    smooth_matters = smooth_matters || (settings[s].smooth && matters(s));
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (s == 0 || (settings[s].smooth ? smooth_matters : matters(s))) kept.push_back(s);
  }
  return kept;
}

// Returns those of the settings that are mixtures.
std::vector<Setting> mixtures_of(const HeldOut& held_out,
                                 const std::vector<std::size_t>& settings) {
  std::vector<Setting> mixtures;
  for (const std::size_t s : settings) {
    if (!held_out.settings[s].smooth) mixtures.push_back(held_out.settings[s]);
  }
  return mixtures;
}

// Returns the run with the settings of `first`. The settings of `run` have the indices `fitted`
// there.
HeldOutRun with_all_settings(HeldOutRun run, const HeldOut& first,
                             const std::vector<std::size_t>& fitted) {
  HeldOut all{.settings = first.settings, .starts = run.held_out.starts};
  all.pull = run.held_out.pull;
  all.eta.resize(first.settings.size());
  for (std::size_t c = 0; c < fitted.size(); ++c)
    all.eta[fitted[c]] = std::move(run.held_out.eta[c]);
  return {std::move(run.folds), std::move(all), fitted};
}

// Held-out rows of a sample are predicted by weights that the other half of them chooses. More parts
// would be needed only if few rows were held out.
constexpr std::size_t kPartsOfSample = 2;

Selection select_on_all(const LoggedData& log, const Problem& problem,
                        const std::vector<Setting>& settings, const KnownStarts& known,
                        const NamedFolds& split, const SelectionOptions& options,
                        const std::function<void(double)>& progress) {
  const SmoothStructure structure{context_sources(log, problem), log.groups()};
  const bool many_columns = problem.num_contexts > defaults::kManyColumns;
  const bool once = split.folds.count == 1 || many_columns || options.treatment == Treatment::kPick;
  const int repeats = once ? 1 : options.repeats;
  // The rows to which the members are fitted.
  const Problem fitted = options.refit ? problem : split.folds.training(problem, 0);
  const std::size_t rows_for_strengths =
      options.is_sample ? enough_for_strengths(problem) : defaults::kSelectionRows;
  const auto fit_smooth_to_all = [&] {
    return fit_smooth(fitted, structure, options.num_threads, {nullptr, rows_for_strengths});
  };
  // On a sample the model with linear weights is fitted to all rows only if its weight is not
  // negligible, because this fit takes longer than that of a mixture.
  std::optional<SmoothFit> smooth;
  const auto linear_weights = [&](const Folds& folds) {
    HeldOut linear{.settings = {settings.front()}};
    add_smooth(problem, folds, structure, {smooth ? &*smooth : nullptr, rows_for_strengths},
               options.num_threads, linear);
    return linear;
  };
  std::vector<HeldOutRun> runs(repeats);
  HeldOut first_linear;
  parallel_for(2, options.num_threads, [&](std::size_t task) {
    if (task == 0) {
      runs.front() = run_folds(problem, split.folds, settings, structure.groups, options, known,
                               options.seed, [&](double done) {
                                 if (progress) progress(done / repeats);
                               });
    } else if (options.smooth) {
      if (!options.is_sample) smooth = fit_smooth_to_all();
      first_linear = linear_weights(split.folds);
    }
  });
  if (options.smooth) append(std::move(first_linear), runs.front().held_out);
  if (options.treatment == Treatment::kPick && options.count_is_given) {
    for (std::size_t s = 1; s < runs.front().held_out.settings.size(); ++s)
      runs.front().fitted.push_back(s);
  }
  // The other divisions use the settings that the first division has not ruled out.
  const HeldOut& first = runs.front().held_out;
  std::vector<std::size_t> kept;
  if (repeats > 1) kept = worth_repeating(problem, runs.front(), options.num_threads);
  const std::vector<Setting> mixtures = mixtures_of(first, kept);
  SelectionOptions again = options;
  again.may_grow = false;
  std::mutex progress_mutex;
  double done_in_all = 0;  // summed over the other divisions
  parallel_for(repeats - 1, options.num_threads, [&](std::size_t task) {
    const std::uint64_t seed = repeat_seed(options.seed, static_cast<int>(task) + 1);
    double done_here = 0;
    const auto step = [&](double done) {
      const std::lock_guard lock(progress_mutex);
      done_in_all += done - std::exchange(done_here, done);
      if (progress) progress((1 + done_in_all) / repeats);
    };
    HeldOutRun run =
        run_folds(problem, split_rows(log, {options.folds, options.validation, seed}).folds,
                  mixtures, structure.groups, again, known, seed, step);
    if (mixtures.size() < kept.size()) append(linear_weights(run.folds), run.held_out);
    runs[task + 1] = with_all_settings(std::move(run), first, kept);
  });
  Selection selection = weigh(problem, runs, structure.groups, options.num_threads,
                              options.is_sample ? kPartsOfSample : defaults::kFolds);
  selection.members = refit_members(
      fitted, [&] { return smooth ? *smooth : fit_smooth_to_all(); }, runs.front().held_out,
      selection, options);
  selection.seed_changes = changes_between_divisions(problem, selection, options.num_threads);
  selection.split = split.words;
  if (repeats > 1) selection.split += fmt::format(", {} times", repeats);
  return selection;
}

}  // namespace

Selection select_settings(const LoggedData& log, const Problem& problem,
                          const Penalty& pooled_penalty, const SelectionOptions& options,
                          const std::function<void(double)>& progress) {
  const StageTimer timer(Stage::kChoose);
  std::vector<Setting> settings{{1, pooled_penalty}};
  for (const int experts : options.experts) {
    for (const Setting& setting : grid(experts, pooled_penalty, problem, options.ridges))
      settings.push_back(setting);
  }
  const NamedFolds split = split_rows(log, {options.folds, options.validation, options.seed});
  if (problem.num_rows() <= defaults::kSelectionRows)
    return select_on_all(log, problem, settings, {}, split, options, progress);

  // The penalties are chosen on a subsample, by cross-validation. Then the weight of each K and the
  // reported losses come from one split of all rows into training and held-out rows.
  std::vector<std::size_t> rows;
  const Problem small = subsample(problem, defaults::kSelectionRows, &rows);
  Folds small_folds{split.folds.count, {}};
  std::vector<std::uint32_t> small_groups;
  for (const std::size_t row : rows) {
    small_folds.of_row.push_back(split.folds.of_row[row]);
    if (!log.groups().empty()) small_groups.push_back(log.groups()[row]);
  }
  SelectionOptions rough_options = options;
  rough_options.may_grow = options.may_grow && !options.is_sample;
  const HeldOutRun rough = run_folds(small, small_folds, settings, small_groups, rough_options, {},
                                     options.seed, [&](double done) {
                                       if (progress) progress(0.6 * done);
                                     });
  // The settings keep the relevances that they learned on the subsample, because learning
  // relevances on all rows would take a dozen fits.
  std::vector<Setting> best;
  KnownStarts known;
  for (const BestOfCount& of_count : best_of_counts(small, rough)) {
    const int experts = of_count.experts;
    best.push_back({experts, rough.held_out.penalties[of_count.setting].front(), false});
    if (options.is_sample && experts > 1)
      known.chosen[experts] = rough.held_out.thetas[of_count.setting].front();
  }
  // On a sample, the starts of a larger K are compared on the subsample too.
  const Problem start_rows = subsample(small_folds.training(small, 0), small.num_rows());
  if (options.is_sample) known.compared_on = &start_rows;
  const NamedFolds whole_split =
      split.folds.count == 1 ? split : one_split(log, defaults::kHeldOutShare, options.seed);
  SelectionOptions final_options = options;
  final_options.may_grow = options.may_grow && options.is_sample;
  Selection selection =
      select_on_all(log, problem, best, known, whole_split, final_options, [&](double done) {
        if (progress) progress(0.6 + 0.4 * done);
      });
  selection.split += fmt::format("; penalties chosen on a subsample of {} rows", rows.size());
  return selection;
}

}  // namespace otss::internal
