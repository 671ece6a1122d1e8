#include "learn/averaging/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/interrupt.hpp"
#include "base/row_blocks.hpp"
#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/averaging/continued_fit.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/mixture/relevance.hpp"
#include "learn/mixture/smooth_rank.hpp"
#include "learn/problem/spectral_start.hpp"

namespace otss::internal {
namespace {

// A fit learns the relevances of the context columns in this many rounds: kFirstRounds if all
// relevances start at 1, kFurtherRounds if they start at the relevances of the previous setting.
constexpr int kFirstRounds = 10, kFurtherRounds = 4;

// Starts of which the best is continued on more rows are compared after this many passes over few
// rows. By then it has long been clear which of them lead to a poor local optimum.
constexpr int kPassesOfStart = 200;

// Splits the list of settings into paths. A path is a list of the indices of consecutive settings
// with the same K.
std::vector<std::vector<std::size_t>> paths(const std::vector<Setting>& settings) {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const bool continues =
        !result.empty() && settings[result.back().front()].experts == settings[s].experts;
    if (!continues) result.emplace_back();
    result.back().push_back(s);
  }
  return result;
}

// Returns the training rows of a fold. Unless they are very many, they are copied: a pass then does
// not read the held-out rows, which lie between the training rows.
Problem training_rows(const Problem& problem, const Folds& folds, int fold) {
  const Problem training = folds.training(problem, fold);
  const bool few = problem.num_rows() <= defaults::kLargeLogRows;
  return few ? subsample(training, problem.num_rows()) : training;
}

// Holds the training rows of one fold, and the results that all fits on these rows use.
class FoldWork {
 public:
  FoldWork(Problem rows, int of_fold, const Penalty& pooled_penalty, int num_threads)
      : fold(of_fold),
        training(std::move(rows)),
        penalty(pooled_penalty),
        pooled(fit_mixture(training, penalty, training.layout(1), constant_model(training),
                           {num_threads})
                   .theta) {}

  // The spectral start takes a pass over the rows on one thread, so it is computed when a fit asks
  // for it: a fit whose start was chosen before does not.
  const SpectralStart& spectral() const {
    std::call_once(computed_, [&] { spectral_.emplace(training, pooled); });
    return *spectral_;
  }

  const int fold;
  const Problem training;
  const Penalty penalty;  // of the pooled model
  const std::vector<double> pooled;

 private:
  mutable std::once_flag computed_;
  mutable std::optional<SpectralStart> spectral_;
};

// Returns the start of the only fit, or the parameters of the best of effort.starts fits. Each of
// these fits ends after `most_passes` passes, if that is not 0.
std::vector<double> best_start(const FoldWork& work, const Setting& first,
                               const HeldOutEffort& effort, int most_passes,
                               StartsAgreeing& agreeing) {
  const MixtureLayout layout = work.training.layout(first.experts);
  std::vector<double> given =
      effort.start.size() == layout.size() ? effort.start : work.spectral().start(first.experts);
  if (effort.starts == 1) return given;
  std::vector<MixtureFit> fits(effort.starts);
  parallel_for(fits.size(), effort.num_threads, [&](std::size_t s) {
    Rng rng(effort.seed, s);
    fits[s] = fit_mixture(
        work.training, first.penalty, layout,
        s == 0 ? given : work.spectral().restart(first.experts, rng),
        {.num_threads = effort.num_threads, .polish = false, .most_passes = most_passes});
  });
  agreeing = starts_agreeing(fits);
  return std::ranges::min_element(fits, {}, &MixtureFit::objective)->theta;
}

// Returns the parameters at which the fit of the first setting of one K starts. With one expert,
// these are the parameters of the pooled model. Otherwise they are those that were chosen before, if
// there are any for this K. If effort.starts is 1, they are effort.start if given, otherwise the
// spectral start. If effort.starts is larger, they are the parameters of the best of so many fits.
std::vector<double> path_start(const FoldWork& work, const Setting& first,
                               const HeldOutEffort& effort, StartsAgreeing& agreeing) {
  if (first.experts == 1) return work.pooled;
  const auto chosen = effort.known.chosen.find(first.experts);
  if (chosen != effort.known.chosen.end()) return chosen->second;
  if (effort.starts == 1 || effort.known.compared_on == nullptr)
    return best_start(work, first, effort, 0, agreeing);
  const FoldWork few(*effort.known.compared_on, work.fold, work.penalty, effort.num_threads);
  return best_start(few, first, effort, kPassesOfStart, agreeing);
}

// True if path_start() returns the optimum of some of the training rows.
bool starts_near_optimum(const HeldOutEffort& effort, int experts) {
  return experts > 1 && (effort.known.chosen.contains(experts) ||
                         (effort.known.compared_on != nullptr && effort.starts > 1));
}

// Fits the settings of one K on the training rows of a fold, and predicts the held-out rows of
// `problem`.
void follow_path(const Problem& problem, const FoldWork& work, const Folds& folds,
                 const std::vector<std::size_t>& path, const HeldOutEffort& effort, HeldOut& result,
                 const std::function<void(const StartsAgreeing&)>& tick) {
  const MixtureLayout layout = problem.layout(result.settings[path.front()].experts);
  StartsAgreeing agreeing;
  std::vector<double> theta = path_start(work, result.settings[path.front()], effort, agreeing);
  const FitEffort rough{effort.num_threads, false};
  Penalty last;
  // Where the gate's penalty begins anew with a weaker one, the fit starts from the setting before that
  // had such a penalty.
  std::size_t row_begin = path.front();
  for (const std::size_t s : path) {
    check_interrupt();
    const Setting& setting = result.settings[s];
    if (s > path.front() && setting.penalty.gate < result.settings[s - 1].penalty.gate) {
      theta = result.thetas[row_begin][work.fold];
      row_begin = s;
    }
    if (starts_near_optimum(effort, setting.experts) && !setting.learn_relevance) {
      last = setting.penalty;
      theta = continued_fit(work.training, setting, theta, rough).theta;
    } else {
      theta = fit_setting(work.training, setting, theta, last, rough).theta;
    }
    linear_predictors(*problem.features, layout, theta, effort.num_threads, result.eta[s],
                      Mixed::kPredictors,
                      [&](std::size_t row) { return folds.of_row[row] == work.fold; });
    result.thetas[s][work.fold] = theta;
    result.penalties[s][work.fold] = last;
    tick(std::exchange(agreeing, {}));
  }
}

}  // namespace

MixtureFit fit_setting(const Problem& problem, const Setting& setting,
                       std::span<const double> start, Penalty& penalty, const FitEffort& effort) {
  const MixtureLayout layout = problem.layout(setting.experts);
  std::vector<double> relevance = std::move(penalty.relevance);
  penalty = setting.penalty;
  if (!setting.learn_relevance) return fit_mixture(problem, penalty, layout, start, effort);
  const int rounds = relevance.empty() ? kFirstRounds : kFurtherRounds;
  penalty.relevance = std::move(relevance);
  return fit_with_relevance(problem, penalty, layout, start, rounds, effort);
}

StartsAgreeing starts_agreeing(std::span<const MixtureFit> fits) {
  constexpr double kSame = 1e-3;
  const double best = std::ranges::min_element(fits, {}, &MixtureFit::objective)->objective;
  StartsAgreeing result{static_cast<int>(fits.size()), 0};
  for (const MixtureFit& fit : fits) {
    if (fit.objective <= best + kSame * std::abs(best)) ++result.agreeing;
  }
  return result;
}

HeldOut predict_held_out(const Problem& problem, const Folds& folds,
                         const std::vector<Setting>& settings, const HeldOutEffort& effort,
                         const std::function<void(double fraction)>& progress) {
  HeldOut result;
  result.settings = settings;
  result.eta.assign(settings.size(), std::vector<double>(problem.num_rows(), 0.0));
  result.thetas.assign(settings.size(), std::vector<std::vector<double>>(folds.count));
  result.penalties.assign(settings.size(), std::vector<Penalty>(folds.count));
  std::vector<std::unique_ptr<const FoldWork>> work(folds.count);
  parallel_for(work.size(), effort.num_threads, [&](std::size_t fold) {
    const int number = static_cast<int>(fold);
    work[fold] = std::make_unique<FoldWork>(training_rows(problem, folds, number), number,
                                            settings.front().penalty, effort.num_threads);
  });

  const auto k_paths = paths(settings);
  std::size_t done = 0;
  std::mutex progress_mutex;
  const auto tick = [&](const StartsAgreeing& agreeing) {
    const std::lock_guard lock(progress_mutex);
    result.starts.tried += agreeing.tried;
    result.starts.agreeing += agreeing.agreeing;
    ++done;
    if (progress)
      progress(static_cast<double>(done) / static_cast<double>(settings.size() * folds.count));
  };
  // The tasks with the largest K come first. If these longest tasks started last, the other threads
  // would wait for them at the end.
  parallel_for(k_paths.size() * folds.count, effort.num_threads, [&](std::size_t task) {
    const auto& path = k_paths[k_paths.size() - 1 - task / folds.count];
    follow_path(problem, *work[task % folds.count], folds, path, effort, result, tick);
  });
  return result;
}

std::vector<Setting> smooth_settings(const Problem& problem, const Penalty& pooled) {
  std::vector<Setting> settings{{.penalty = pooled, .smooth = true}};
  if (std::min(problem.num_contexts, problem.num_factors()) > 1)
    settings.push_back({.penalty = pooled, .smooth = true, .one_direction = true});
  return settings;
}

void add_smooth(const Problem& problem, const Folds& folds, const SmoothStructure& structure,
                const SmoothEffort& effort, int num_threads, HeldOut& held_out) {
  const std::size_t first = held_out.settings.size();
  for (Setting& setting : smooth_settings(problem, held_out.settings.front().penalty))
    held_out.settings.push_back(std::move(setting));
  held_out.eta.resize(held_out.settings.size(), std::vector<double>(problem.num_rows(), 0.0));
  held_out.thetas.resize(held_out.settings.size(), std::vector<std::vector<double>>(folds.count));
  held_out.penalties.resize(held_out.settings.size(), std::vector<Penalty>(folds.count));
  parallel_for(folds.count, num_threads, [&](std::size_t fold) {
    const Problem training = folds.training(problem, static_cast<int>(fold));
    const SmoothFit fit = fit_smooth(training, structure, num_threads, effort);
    for (std::size_t s = first; s < held_out.settings.size(); ++s) {
      const bool reduced = held_out.settings[s].one_direction;
      const auto eta = smooth_predictors(
          training, reduced ? along_one_direction(training, fit) : fit, num_threads);
      for (std::size_t i = 0; i < eta.size(); ++i) {
        if (folds.of_row[i] == fold) held_out.eta[s][i] = eta[i];
      }
    }
  });
}

void append(HeldOut more, HeldOut& held_out) {
  const auto move_rest = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin() + 1),
              std::make_move_iterator(from.end()));
  };
  move_rest(more.settings, held_out.settings);
  move_rest(more.eta, held_out.eta);
  move_rest(more.thetas, held_out.thetas);
  move_rest(more.penalties, held_out.penalties);
  held_out.starts.tried += more.starts.tried;
  held_out.starts.agreeing += more.starts.agreeing;
}

std::vector<double> row_losses(const Problem& problem, const Folds& folds,
                               std::span<const double> eta) {
  std::vector<double> losses(eta.size(), std::numeric_limits<double>::quiet_NaN());
  // The outcomes are standardised here, but the loss is that of outcomes in the log's units. Their
  // density is the standardised density divided by the scale, so log(scale) is added.
  const double log_scale = std::log(problem.outcomes.units().scale);
  for_row_blocks(eta.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (folds.held_out(i))
        losses[i] = problem.family().log_loss(eta[i], problem.outcome(i)) + log_scale;
    }
  });
  return losses;
}

namespace {

struct WeightedSum {
  double sum = 0, total = 0;  // `total` is the summed weight of the rows
  double mean() const { return sum / total; }
};

WeightedSum weighted_sum(const Problem& problem, std::span<const double> per_row) {
  WeightedSum result;
  for (std::size_t i = 0; i < per_row.size(); ++i) {
    if (std::isnan(per_row[i])) continue;
    result.total += std::abs(problem.rows[i]);
    result.sum += std::abs(problem.rows[i]) * per_row[i];
  }
  return result;
}

}  // namespace

double weighted_mean(const Problem& problem, std::span<const double> per_row) {
  return weighted_sum(problem, per_row).mean();
}

MeanAndError mean_and_error(const Problem& problem, std::span<const double> per_row,
                            std::span<const std::uint32_t> groups) {
  const WeightedSum all = weighted_sum(problem, per_row);
  const double mean = all.mean();
  // The deviations are summed within each independent unit. A unit is a group, or a row if there
  // are no groups.
  std::vector<double> of_group(groups.empty() ? 0 : 1 + std::ranges::max(groups), 0.0);
  double squares = 0;
  for (std::size_t i = 0; i < per_row.size(); ++i) {
    if (std::isnan(per_row[i])) continue;
    const double deviation = std::abs(problem.rows[i]) * (per_row[i] - mean);
    if (groups.empty()) {
      squares += deviation * deviation;
    } else {
      of_group[groups[i]] += deviation;
    }
  }
  for (const double deviation : of_group) squares += deviation * deviation;
  return {mean, std::sqrt(squares) / all.total};
}

}  // namespace otss::internal
