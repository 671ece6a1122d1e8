#include "learn/held_out.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "engine/logits.hpp"
#include "learn/spectral_start.hpp"

namespace otss {
namespace {

double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }

// The settings of one K, as indices into the list.
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

// One fold's training rows with all that its fits share.
struct FoldWork {
  Problem training, held_out;
  std::vector<double> pooled;
  SpectralStart spectral;
};

void score_rows(const FoldWork& fold, const MixtureLayout& layout, std::span<const double> theta,
                std::vector<double>& row_loss) {
  const Problem& problem = fold.held_out;
  std::vector<double> eta(problem.num_rows());
  logits(*problem.features, layout, theta, 1, eta);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const float row = problem.rows[i];
    if (row != 0) row_loss[i] = softplus(row > 0 ? -eta[i] : eta[i]);
  }
}

void follow_path(const FoldWork& fold, const std::vector<std::size_t>& path, HeldOut& result,
                 const std::function<void()>& tick) {
  const MixtureLayout layout = fold.training.layout(result.settings[path.front()].experts);
  std::vector<double> theta =
      layout.num_experts == 1 ? fold.pooled : fold.spectral.start(layout.num_experts);
  for (const std::size_t s : path) {
    check_interrupt();
    theta = fit_mixture(fold.training, result.settings[s].penalty, layout, theta, {1, false}).theta;
    score_rows(fold, layout, theta, result.row_loss[s]);
    tick();
  }
}

double weighted_mean(const Problem& problem, const std::vector<double>& row_loss) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < row_loss.size(); ++i) {
    if (std::isnan(row_loss[i])) continue;
    sum += std::abs(problem.rows[i]) * row_loss[i];
    total += std::abs(problem.rows[i]);
  }
  return sum / total;
}

}  // namespace

Problem Folds::training(const Problem& problem, int fold) const {
  return problem.restricted_to([&](std::size_t row) { return of_row[row] != fold; });
}

Problem Folds::held_out(const Problem& problem, int fold) const {
  return problem.restricted_to([&](std::size_t row) { return of_row[row] == fold; });
}

HeldOut score_held_out(const Problem& problem, const Folds& folds, const std::vector<Setting>& settings,
                       int num_threads, const std::function<void(double fraction)>& progress) {
  HeldOut result{settings, {}, {}};
  result.row_loss.assign(settings.size(),
                         std::vector<double>(problem.num_rows(), std::numeric_limits<double>::quiet_NaN()));
  std::vector<FoldWork> work;
  for (int f = 0; f < folds.count; ++f) {
    Problem training = folds.training(problem, f);
    std::vector<double> pooled = fit_mixture(training, settings.front().penalty, problem.layout(1),
                                             std::vector<double>(problem.layout(1).size(), 0.0), {1, true})
                                     .theta;
    SpectralStart spectral(training, pooled);
    work.push_back({std::move(training), folds.held_out(problem, f), std::move(pooled), std::move(spectral)});
  }

  const auto k_paths = paths(settings);
  std::size_t done = 0;
  std::mutex progress_mutex;
  const auto tick = [&] {
    const std::lock_guard lock(progress_mutex);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(settings.size() * folds.count));
  };
  // Many experts first: the longest tasks must not start last.
  parallel_for(k_paths.size() * folds.count, num_threads, [&](std::size_t task) {
    const auto& path = k_paths[k_paths.size() - 1 - task / folds.count];
    follow_path(work[task % folds.count], path, result, tick);
  });
  for (const auto& row_loss : result.row_loss) result.mean.push_back(weighted_mean(problem, row_loss));
  return result;
}

PairedGain paired_gain(const Problem& problem, std::span<const double> a, std::span<const double> b) {
  double total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    const double weight = std::abs(problem.rows[i]);
    total += weight;
    sum += weight * (a[i] - b[i]);
  }
  const double mean = sum / total;
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    const double deviation = std::abs(problem.rows[i]) * (a[i] - b[i] - mean);
    squares += deviation * deviation;
  }
  return {mean, std::sqrt(squares) / total};
}

}  // namespace otss
