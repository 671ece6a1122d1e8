#include "learn/methods/method.hpp"

#include <algorithm>

#include "base/interrupt.hpp"
#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/averaging/honest_choice.hpp"

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
