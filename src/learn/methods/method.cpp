#include "learn/methods/method.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/interrupt.hpp"
#include "base/profile.hpp"
#include "base/threads.hpp"

namespace otss::internal {
namespace {

struct FoldFits {
  PooledFit pooled;
  std::vector<StandardisedModel> models;  // one per setting
};

FoldFits fit_fold(const ComparisonMethod& method, const Problem& training,
                  const ProtocolOptions& options) {
  check_interrupt();
  FoldFits fits{fit_pooled(training, options.num_threads), {}};
  fits.models = method.fit_all({training, fits.pooled, options.seed, options.num_threads});
  return fits;
}

void copy_held_out(const Folds& folds, std::size_t fold, const std::vector<double>& from,
                   std::vector<double>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (folds.of_row[i] == fold) to[i] = from[i];
  }
}

std::size_t least_loss(const Problem& problem, const std::vector<std::vector<double>>& losses,
                       const std::function<bool(std::size_t row)>& use) {
  std::vector<double> means;
  for (std::vector<double> loss : losses) {
    for (std::size_t i = 0; i < loss.size(); ++i) {
      if (!use(i)) loss[i] = std::numeric_limits<double>::quiet_NaN();
    }
    means.push_back(weighted_mean(problem, loss));
  }
  return std::ranges::min_element(means) - means.begin();
}

// Returns the predictions of the held-out rows. These rows are divided into parts (honest_parts).
// The rows of each part are predicted by the setting that has the lowest loss on the other parts. A
// setting chosen by the loss on all held-out rows would seem better on these rows than it is.
std::vector<double> honest_eta(const Problem& problem, const Folds& folds,
                               std::span<const std::uint32_t> groups,
                               const std::vector<std::vector<double>>& eta,
                               const std::vector<std::vector<double>>& losses) {
  const std::vector<std::uint8_t> part = honest_parts(folds, groups);
  std::vector<double> honest(problem.num_rows(), 0.0);
  const std::set<std::uint8_t> parts(part.begin(), part.end());
  for (const std::uint8_t own : parts) {
    if (own == Folds::kNeverHeldOut) continue;
    const std::size_t best =
        least_loss(problem, losses, [&](std::size_t row) { return part[row] != own; });
    for (std::size_t i = 0; i < honest.size(); ++i) {
      if (part[i] == own) honest[i] = eta[best][i];
    }
  }
  return honest;
}

}  // namespace

Choice choose_and_fit(const ComparisonMethod& method, const Problem& problem, const Folds& folds,
                      const ProtocolOptions& options,
                      const std::function<void(double fraction)>& progress) {
  const StageTimer timer(Stage::kChoose);
  Choice choice;
  choice.settings = method.settings(problem);
  choice.pooled_eta.assign(problem.num_rows(), 0.0);
  std::vector<std::vector<double>> eta(choice.settings.size(),
                                       std::vector<double>(problem.num_rows(), 0.0));
  std::vector<FoldFits> fits(folds.count);
  parallel_for(folds.count, options.num_threads, [&](std::size_t fold) {
    const Problem training = folds.training(problem, static_cast<int>(fold));
    fits[fold] = fit_fold(method, training, options);
    const auto held_out = [&](std::size_t row) { return folds.of_row[row] == fold; };
    const auto predict = [&](const StandardisedModel& model, std::vector<double>& to) {
      const auto eta_of_all = predictors(problem, model, options.num_threads, held_out);
      copy_held_out(folds, fold, eta_of_all, to);
    };
    const StandardisedModel pooled =
        mixture_model(fits[fold].pooled.fit.layout, fits[fold].pooled.fit.theta);
    predict(pooled, choice.pooled_eta);
    parallel_for(eta.size(), options.num_threads,
                 [&](std::size_t s) { predict(fits[fold].models[s], eta[s]); });
  });
  std::vector<std::vector<double>> losses;
  for (const auto& predicted : eta) {
    losses.push_back(row_losses(problem, folds, predicted));
    choice.losses.push_back(weighted_mean(problem, losses.back()));
  }
  choice.chosen = std::ranges::min_element(choice.losses) - choice.losses.begin();
  choice.held_out_eta = honest_eta(problem, folds, options.groups, eta, losses);
  choice.model = fits.front().models[choice.chosen];
  if (progress) progress(0.7);
  if (options.refit) {
    const StageTimer of_fit(Stage::kFit);
    const PooledFit pooled = fit_pooled(problem, options.num_threads);
    choice.model = method.fit_one({problem, pooled, options.seed, options.num_threads},
                                  choice.chosen, choice.model);
  }
  return choice;
}

}  // namespace otss::internal
