#include "learn/averaging/weighing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/threads.hpp"
#include "learn/averaging/honest_choice.hpp"
#include "learn/averaging/stacking.hpp"

namespace otss::internal {
namespace {

std::vector<std::size_t> fitted_settings(const HeldOutRun& run) {
  if (!run.fitted.empty()) return run.fitted;
  std::vector<std::size_t> all(run.held_out.settings.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Returns the weights of the candidates by their loss on the rows for which use(row) is true.
std::vector<double> candidate_weights(const Problem& problem, const HeldOutRun& run,
                                      const std::vector<std::size_t>& candidates,
                                      const std::function<bool(std::size_t)>& use,
                                      int num_threads) {
  if (run.held_out.treatment != Treatment::kPick)
    return stack_weights(problem, run.held_out, candidates, use, num_threads);
  std::vector<std::vector<double>> losses;
  for (const std::size_t s : candidates)
    losses.push_back(row_losses(problem, run.folds, run.held_out.eta[s]));
  std::vector<double> weights(candidates.size(), 0.0);
  weights[least_loss(problem, losses, use)] = 1;
  return weights;
}

std::vector<double> honest_predictors(const Problem& problem, const HeldOutRun& run,
                                      std::span<const std::uint32_t> groups, int num_threads,
                                      std::size_t num_parts) {
  const std::vector<std::uint8_t> part = honest_parts(run.folds, groups, num_parts);
  const auto candidates = fitted_settings(run);
  std::vector<double> eta(part.size(), std::numeric_limits<double>::quiet_NaN());
  constexpr int kMostSettings = 254;
  const int count = 1 + std::accumulate(part.begin(), part.end(), 0, [](int most, std::uint8_t p) {
                      return p == Folds::kNeverHeldOut ? most : std::max(most, static_cast<int>(p));
                    });
  parallel_for(std::min(count, kMostSettings), num_threads, [&](std::size_t own) {
    const auto others = [&](std::size_t row) {
      return part[row] != own && part[row] != Folds::kNeverHeldOut;
    };
    const auto weights = candidate_weights(problem, run, candidates, others, num_threads);
    const auto stacked = stacked_predictors(run.held_out, candidates, weights);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == own) eta[i] = stacked[i];
    }
  });
  return eta;
}

void add_scaled(double scale, std::span<const double> values, std::vector<double>& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += scale * values[i];
}

// Returns Selection::average_share. The loss is convex in the share, so bisection finds where its
// derivative is zero.
double best_share(const Problem& problem, std::span<const HeldOutRun> runs,
                  const std::vector<std::vector<double>>& averages) {
  const auto slope_at = [&](double share) {
    double slope = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::vector<double>& pooled = runs[r].held_out.eta.front();
      for (std::size_t i = 0; i < pooled.size(); ++i) {
        if (problem.rows[i] == 0 || !runs[r].folds.held_out(i)) continue;
        const double step = averages[r][i] - pooled[i];
        slope += problem.weight(i) * step *
                 problem.family().slope(pooled[i] + share * step, problem.outcome(i));
      }
    }
    return slope;
  };
  if (slope_at(0) >= 0) return 0;
  if (slope_at(1) <= 0) return 1;
  double low = 0;
  double high = 1;
  constexpr double kPrecise = 1e-3;
  while (high - low > kPrecise) {
    const double middle = (low + high) / 2;
    (slope_at(middle) < 0 ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::vector<double> run_weights(const Problem& problem, const HeldOutRun& run, int num_threads) {
  const std::vector<std::size_t> fitted = fitted_settings(run);
  const auto held_out = [&](std::size_t row) { return run.folds.held_out(row); };
  const auto found = candidate_weights(problem, run, fitted, held_out, num_threads);
  std::vector<double> weights(run.held_out.settings.size(), 0.0);
  for (std::size_t c = 0; c < fitted.size(); ++c) weights[fitted[c]] = found[c];
  return weights;
}

Selection weigh(const Problem& problem, std::span<const HeldOutRun> runs,
                std::span<const std::uint32_t> groups, int num_threads, std::size_t num_parts) {
  const double share = 1.0 / static_cast<double>(runs.size());
  Selection selection;
  for (const Setting& setting : runs.front().held_out.settings)
    selection.tried.push_back({setting, 0, 0});
  selection.weights_by_division.resize(runs.size());
  std::vector<std::vector<double>> honest_etas(runs.size());
  parallel_for(2 * runs.size(), num_threads, [&](std::size_t task) {
    const HeldOutRun& run = runs[task / 2];
    if (task % 2 == 1) {
      honest_etas[task / 2] = honest_predictors(problem, run, groups, num_threads, num_parts);
    } else {
      selection.weights_by_division[task / 2] = run_weights(problem, run, num_threads);
    }
  });
  std::vector<double> gain(problem.num_rows(), 0.0);
  std::vector<int> num_losses(selection.tried.size(), 0);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const HeldOutRun& run = runs[r];
    for (const std::size_t s : fitted_settings(run)) {
      Tried& tried = selection.tried[s];
      const double loss =
          weighted_mean(problem, row_losses(problem, run.folds, run.held_out.eta[s]));
      tried.loss += (loss - tried.loss) / ++num_losses[s];
      tried.weight += share * selection.weights_by_division[r][s];
    }
    const auto honest = row_losses(problem, run.folds, honest_etas[r]);
    // The pooled model is what the gain is measured from, whether or not it may be chosen.
    const auto of_pooled = row_losses(problem, run.folds, run.held_out.eta.front());
    selection.pooled_loss += share * weighted_mean(problem, of_pooled);
    add_scaled(share, of_pooled, gain);
    add_scaled(-share, honest, gain);
    selection.validation_loss += share * weighted_mean(problem, honest);
    selection.starts.tried += run.held_out.starts.tried;
    selection.starts.agreeing += run.held_out.starts.agreeing;
  }
  if (num_losses.front() == 0) selection.tried.front().loss = selection.pooled_loss;
  selection.average_share = best_share(problem, runs, honest_etas);
  selection.held_out_eta = std::move(honest_etas.front());
  selection.pooled_eta = runs.front().held_out.eta.front();
  selection.gain = mean_and_error(problem, gain, groups);
  return selection;
}

}  // namespace otss::internal
