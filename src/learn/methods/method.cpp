#include "learn/methods/method.hpp"

#include <algorithm>
#include <numeric>

#include "base/interrupt.hpp"
#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/averaging/weighing.hpp"
#include "learn/deploy/averaged_model.hpp"

namespace otss::internal {
namespace {

// The fits to the training rows of one fold, or to all rows.
struct FoldFits {
  PooledFit pooled;
  std::vector<StandardisedModel> models;  // one per setting

  StandardisedModel pooled_model() const {
    return mixture_model(pooled.fit.layout, pooled.fit.theta);
  }
};

FoldFits fit_fold(const ComparisonMethod& method, const Problem& log, const Problem& training,
                  const ProtocolOptions& options) {
  check_interrupt();
  FoldFits fits{fit_pooled(training, options.num_threads), {}};
  fits.models = method.fit_all({log, training, fits.pooled, options.seed, options.num_threads});
  return fits;
}

void copy_held_out(const Folds& folds, std::size_t fold, const std::vector<double>& from,
                   std::vector<double>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (folds.of_row[i] == fold) to[i] = from[i];
  }
}

// Predicts the held-out rows of one fold. Entry 0 of `eta` is the pooled model, entry s + 1 is
// setting s.
void predict_held_out_rows(const Problem& problem, const Folds& folds, std::size_t fold,
                           const FoldFits& fits, int num_threads,
                           std::vector<std::vector<double>>& eta) {
  const auto held_out = [&](std::size_t row) { return folds.of_row[row] == fold; };
  parallel_for(eta.size(), num_threads, [&](std::size_t s) {
    const StandardisedModel& model = s == 0 ? fits.pooled_model() : fits.models[s - 1];
    copy_held_out(folds, fold, predictors(problem, model, num_threads, held_out), eta[s]);
  });
}

bool has_weights(const StandardisedModel& model) {
  return as_scorer(model.scorer).as_weight_map() != nullptr;
}

// Fits the settings whose weight is not negligible to all rows, and averages them.
StandardisedModel fit_average(const ComparisonMethod& method, const Problem& problem,
                              const Choice& choice, const FoldFits& first,
                              const ProtocolOptions& options) {
  const FoldFits fits = options.refit ? fit_fold(method, problem, problem, options) : first;
  const double heaviest =
      std::max(std::ranges::max(choice.weights), choice.pooled_weight.value_or(0));
  std::vector<WeightedModel> members;
  const auto add = [&](double weight, const StandardisedModel& model) {
    if (weight >= defaults::kNegligibleWeight * heaviest) members.push_back({weight, model});
  };
  for (std::size_t s = 0; s < choice.weights.size(); ++s) add(choice.weights[s], fits.models[s]);
  if (choice.pooled_weight) {
    StandardisedModel pooled = fits.pooled_model();
    pooled.mixes_probabilities = fits.models.front().mixes_probabilities;
    add(*choice.pooled_weight, with_form_of(fits.models.front(), pooled));
  }
  return averaged_model(std::move(members));
}

// Fits the setting that was picked to all rows.
StandardisedModel fit_picked(const ComparisonMethod& method, const Problem& problem,
                             std::size_t setting, const StandardisedModel& near,
                             const ProtocolOptions& options) {
  if (!options.refit) return near;
  const PooledFit pooled = fit_pooled(problem, options.num_threads);
  return method.fit_one({problem, problem, pooled, options.seed, options.num_threads}, setting,
                        near);
}

}  // namespace

Choice choose_and_fit(const ComparisonMethod& method, const Problem& problem, const Folds& folds,
                      const ProtocolOptions& options,
                      const std::function<void(double fraction)>& progress) {
  const StageTimer timer(Stage::kChoose);
  const bool averages = options.treatment == Treatment::kAverage;
  Choice choice;
  choice.settings = method.settings(problem);
  const std::size_t count = choice.settings.size() + 1;  // with the pooled model
  HeldOutRun run{folds, {.treatment = options.treatment}};
  run.held_out.settings.resize(count);  // weigh() uses only their number
  run.held_out.eta.assign(count, std::vector<double>(problem.num_rows(), 0.0));
  std::vector<FoldFits> fits(folds.count);
  parallel_for(folds.count, options.num_threads, [&](std::size_t fold) {
    fits[fold] =
        fit_fold(method, problem, folds.training(problem, static_cast<int>(fold)), options);
    predict_held_out_rows(problem, folds, fold, fits[fold], options.num_threads, run.held_out.eta);
  });
  const StandardisedModel& example = fits.front().models.front();
  if (averages && example.mixes_probabilities) run.held_out.mixed = Mixed::kProbabilities;
  const bool with_pooled = averages && has_weights(example);
  run.fitted.resize(count - (with_pooled ? 0 : 1));
  std::iota(run.fitted.begin(), run.fitted.end(), with_pooled ? 0 : 1);
  Selection weighed = weigh(problem, std::span(&run, 1), options.groups, options.num_threads);
  for (std::size_t s = 1; s < count; ++s) {
    choice.losses.push_back(weighed.tried[s].loss);
    choice.weights.push_back(weighed.tried[s].weight);
  }
  if (with_pooled) choice.pooled_weight = weighed.tried.front().weight;
  choice.chosen = std::ranges::max_element(choice.weights) - choice.weights.begin();
  choice.held_out_eta = std::move(weighed.held_out_eta);
  choice.pooled_eta = std::move(weighed.pooled_eta);
  if (progress) progress(0.7);
  const StageTimer of_fit(Stage::kFit);
  choice.model = averages ? fit_average(method, problem, choice, fits.front(), options)
                          : fit_picked(method, problem, choice.chosen,
                                       fits.front().models[choice.chosen], options);
  return choice;
}

}  // namespace otss::internal
