#include "learn/units/form_choice.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "learn/averaging/cross_validation.hpp"

namespace otss::internal {
namespace {

// The total variance of eta from which the estimate of a covariance starts.
constexpr double kFirstVariance = 1;
// The fits to folds start from the fit to all rows, which is close.
constexpr int kFoldPasses = 6;

std::vector<double> held_out_losses(const FormData& data, const PopulationPrior& prior,
                                    const MarginalFit& whole, int num_threads) {
  std::vector<double> losses(data.problem.num_rows(), std::numeric_limits<double>::quiet_NaN());
  const MarginalEffort effort{num_threads, kFoldPasses, false};
  for (int fold = 0; fold < data.folds.count; ++fold) {
    const Problem training = data.folds.training(data.problem, fold);
    const MarginalFit fit =
        fit_marginal(training, data.index, prior, whole.population, whole.sites, effort);
    const auto held_out = [&](std::size_t row) { return data.folds.of_row[row] == fold; };
    const auto some = predictive_losses(data.problem, training, data.index, fit.population,
                                        fit.sites, held_out, num_threads);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (held_out(i)) losses[i] = some[i];
    }
  }
  return losses;
}

FormTrial trial_of(const FormData& data, const PopulationPrior& prior, MarginalFit fit,
                   int num_threads) {
  FormTrial trial{std::move(fit), {}, {}};
  trial.losses = held_out_losses(data, prior, trial.fit, num_threads);
  trial.loss = mean_and_error(data.problem, trial.losses, data.groups);
  return trial;
}

// Returns the mean of a's loss minus b's loss.
MeanAndError difference(const FormData& data, const FormTrial& a, const FormTrial& b) {
  std::vector<double> rows = a.losses;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] -= b.losses[i];
  return mean_and_error(data.problem, rows, data.groups);
}

}  // namespace

std::vector<FormTrial> try_forms(const FormData& data, const PopulationPrior& prior,
                                 const Population& without, int num_threads) {
  using enum DeviationForm;
  const int num_factors = data.problem.num_factors();
  const bool small = 1 + num_factors <= kMostFullSize;
  const DeviationForm richest = small ? kFull : kDiagonal;
  const MarginalEffort effort{num_threads};
  Population start = without;
  start.spread = first_spread(richest, num_factors, kFirstVariance);
  const MarginalFit rich = fit_marginal(data.problem, data.index, prior, start, {}, effort);
  std::vector<FormTrial> trials;
  trials.push_back(trial_of(
      data, prior,
      fit_marginal(data.problem, data.index, prior, without, {}, {num_threads, 10, false}),
      num_threads));
  for (const DeviationForm form : {kIntercept, kDiagonal, kLowRank}) {
    if (form == richest || (form == kLowRank && !small)) continue;
    start = rich.population;
    start.spread = simplified(rich.population.spread, form);
    if (form == kLowRank && start.spread.rank() > num_factors) continue;
    trials.push_back(trial_of(
        data, prior, fit_marginal(data.problem, data.index, prior, start, rich.sites, effort),
        num_threads));
  }
  trials.push_back(trial_of(data, prior, rich, num_threads));
  return trials;
}

FormChoice choose_form(const FormData& data, const std::vector<FormTrial>& trials) {
  const auto best = static_cast<std::size_t>(
      std::ranges::min_element(trials, {}, [](const FormTrial& t) { return t.loss.mean; }) -
      trials.begin());
  FormChoice choice;
  for (choice.chosen = 0; choice.chosen < best; ++choice.chosen) {
    const MeanAndError behind = difference(data, trials[choice.chosen], trials[best]);
    if (behind.mean <= behind.standard_error) break;
  }
  choice.judged = choice.chosen > 0 ? choice.chosen : best;
  choice.gain = difference(data, trials.front(), trials[choice.judged]);
  return choice;
}

}  // namespace otss::internal
