#include "learn/units/form_choice.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/threads.hpp"
#include "learn/averaging/cross_validation.hpp"

namespace otss::internal {
namespace {

// The total variance of eta from which the estimate of a covariance starts.
constexpr double kFirstVariance = 1;
// The fits to folds start from the fit to all rows, which is close. They may stop earlier than that
// fit: what a nat changes about the loss of a row is small compared with its standard error.
constexpr int kFoldPasses = 6;
constexpr double kFoldSettledGain = 1;

// Tries one form after the other on the same rows. The richest form comes first.
class FormTrials {
 public:
  FormTrials(const FormData& data, const PopulationPrior& prior, int num_threads)
      : data_(data), prior_(prior), num_threads_(num_threads) {
    for (int fold = 0; fold < data.folds.count; ++fold)
      training_.push_back(data.folds.training(data.problem, fold));
  }

  // Fits the richest form, from `start`.
  FormTrial richest(const Population& start) {
    rich_ =
        fit_marginal(data_.problem, data_.index, prior_, start, {}, {.num_threads = num_threads_});
    rich_of_fold_ = fit_folds(rich_);
    return trial_of(rich_, rich_of_fold_);
  }

  // Fits a form that is simpler than the richest. The low-rank form begins in each fold from the
  // principal directions of the same fold, so that held-out rows do not choose the directions.
  FormTrial simpler(DeviationForm form) const {
    const Population start = with_spread(
        rich_.population, simplified(rich_.population.spread, form), data_.problem.family());
    const MarginalFit whole = fit_marginal(data_.problem, data_.index, prior_, start, rich_.sites,
                                           {.num_threads = num_threads_});
    return trial_of(whole, fit_folds(whole));
  }

  // Tries a population without deviations, whose theta is given.
  FormTrial without(const Population& population) const {
    const MarginalFit whole =
        fit_marginal(data_.problem, data_.index, prior_, population, {}, fold_effort());
    return trial_of(whole, fit_folds(whole));
  }

 private:
  MarginalEffort fold_effort() const {
    return {.num_threads = num_threads_,
            .most_passes = kFoldPasses,
            .settled_gain = kFoldSettledGain,
            .moves_theta = false};
  }

  // Fits the covariance without the held-out rows of each fold.
  std::vector<MarginalFit> fit_folds(const MarginalFit& whole) const {
    std::vector<MarginalFit> of_fold(training_.size());
    parallel_for(training_.size(), num_threads_, [&](std::size_t fold) {
      Population start = whole.population;
      if (start.spread.form == DeviationForm::kLowRank)
        start.spread = low_rank(rich_of_fold_[fold].population.spread, start.spread.rank());
      of_fold[fold] = fit_marginal(training_[fold], data_.index, prior_, std::move(start),
                                   whole.sites, fold_effort());
    });
    return of_fold;
  }

  FormTrial trial_of(const MarginalFit& whole, const std::vector<MarginalFit>& of_fold) const {
    FormTrial trial{whole, {}, {}};
    trial.losses.assign(data_.problem.num_rows(), std::numeric_limits<double>::quiet_NaN());
    // The theta of each fold is that of all rows.
    const auto etas = linear_predictors_of(data_.problem, whole.population, num_threads_);
    for (std::size_t fold = 0; fold < of_fold.size(); ++fold) {
      const auto held_out = [&](std::size_t row) { return data_.folds.of_row[row] == fold; };
      const auto some =
          predictive_losses(data_.problem, training_[fold], data_.index, of_fold[fold].population,
                            etas, of_fold[fold].sites, held_out, num_threads_);
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (held_out(i)) trial.losses[i] = some[i];
      }
    }
    trial.loss = mean_and_error(data_.problem, trial.losses, data_.groups);
    return trial;
  }

  const FormData& data_;
  const PopulationPrior& prior_;
  int num_threads_;
  std::vector<Problem> training_;  // the training rows of each fold
  MarginalFit rich_;
  std::vector<MarginalFit> rich_of_fold_;
};

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
  Population start = without;
  start.spread = first_spread(small ? kFull : kDiagonal, num_factors, kFirstVariance);
  FormTrials forms(data, prior, num_threads);
  FormTrial richest = forms.richest(start);
  std::vector<DeviationForm> simpler{kNone, kIntercept};
  if (small) simpler.push_back(kDiagonal);
  const int rank = simplified(richest.fit.population.spread, kLowRank).rank();
  if (small && rank <= num_factors) simpler.push_back(kLowRank);
  std::vector<FormTrial> trials(simpler.size());
  parallel_for(simpler.size(), num_threads, [&](std::size_t i) {
    trials[i] = simpler[i] == kNone ? forms.without(without) : forms.simpler(simpler[i]);
  });
  trials.push_back(std::move(richest));
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
