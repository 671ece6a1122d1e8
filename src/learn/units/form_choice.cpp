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
    rich_ = fit_marginal(data_.problem, data_.index, prior_, start, {}, {num_threads_});
    for (const Problem& training : training_)
      rich_of_fold_.push_back(fit_fold(training, rich_.population, rich_.sites));
    return trial_of(rich_, rich_of_fold_);
  }

  // Fits a form that is simpler than the richest. The low-rank form begins in each fold from the
  // principal directions of the same fold, so that held-out rows do not choose the directions.
  FormTrial simpler(DeviationForm form) const {
    Population start = rich_.population;
    start.spread = simplified(start.spread, form);
    const MarginalFit whole =
        fit_marginal(data_.problem, data_.index, prior_, start, rich_.sites, {num_threads_});
    return trial_with_folds(whole);
  }

  // Tries a population without deviations, whose theta is given.
  FormTrial without(const Population& population) const {
    return trial_with_folds(fit_marginal(data_.problem, data_.index, prior_, population, {},
                                         {num_threads_, kFoldPasses, false}));
  }

 private:
  MarginalFit fit_fold(const Problem& training, const Population& start,
                       const std::vector<Site>& sites) const {
    return fit_marginal(training, data_.index, prior_, start, sites,
                        {num_threads_, kFoldPasses, false});
  }

  FormTrial trial_with_folds(const MarginalFit& whole) const {
    std::vector<MarginalFit> of_fold;
    for (std::size_t fold = 0; fold < training_.size(); ++fold) {
      Population start = whole.population;
      if (start.spread.form == DeviationForm::kLowRank)
        start.spread = low_rank(rich_of_fold_[fold].population.spread, start.spread.rank());
      of_fold.push_back(fit_fold(training_[fold], start, whole.sites));
    }
    return trial_of(whole, of_fold);
  }

  FormTrial trial_of(const MarginalFit& whole, const std::vector<MarginalFit>& of_fold) const {
    FormTrial trial{whole, {}, {}};
    trial.losses.assign(data_.problem.num_rows(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t fold = 0; fold < of_fold.size(); ++fold) {
      const auto held_out = [&](std::size_t row) { return data_.folds.of_row[row] == fold; };
      const auto some =
          predictive_losses(data_.problem, training_[fold], data_.index, of_fold[fold].population,
                            of_fold[fold].sites, held_out, num_threads_);
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
  std::vector<FormTrial> trials;
  trials.push_back(forms.without(without));
  trials.push_back(forms.simpler(kIntercept));
  if (small) trials.push_back(forms.simpler(kDiagonal));
  const int rank = simplified(richest.fit.population.spread, kLowRank).rank();
  if (small && rank <= num_factors) trials.push_back(forms.simpler(kLowRank));
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
