// Fits each setting on the training rows of each fold, and predicts the held-out rows of the fold.
// Only the loss of these predictions decides the weight of a setting in the average.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "learn/mixture/mixture_fit.hpp"
#include "learn/mixture/smooth_fit.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/split.hpp"
#include "model/maps/mixed_experts.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/method.hpp"

namespace otss::internal {

StartsAgreeing starts_agreeing(std::span<const MixtureFit> fits);

struct Setting {
  int experts = 1;
  Penalty penalty;
  bool learn_relevance = false;  // true if the fit learns relevances (relevance.hpp)
  // If true, the model is not a mixture: its weights w(x) are linear in the context
  // (smooth_fit.hpp). Then `experts` is 1, and `penalty` is the penalty of the pooled model.
  bool smooth = false;
  // If true, the weights w(x) of a smooth model change along one direction only (smooth_rank.hpp).
  bool one_direction = false;
};

// Returns the smooth models among the settings of an average: weights that are linear in the
// context, and weights that change along one direction. They are the last settings, in this order.
std::vector<Setting> smooth_settings(const Problem& problem, const Penalty& pooled);

// Fits one setting. On entry `penalty` has the relevances to start from; if it has none, every
// relevance starts at 1. On return `penalty` is the setting's penalty with the relevances that the
// fit learned.
MixtureFit fit_setting(const Problem& problem, const Setting& setting,
                       std::span<const double> start, Penalty& penalty, const FitEffort& effort);

// A penalty on the weights that stacking gives to the settings (stacking.hpp). The penalty is
// `rows` times the relative entropy of these weights to `towards`. It decides between settings that
// the held-out rows cannot distinguish.
struct StackPull {
  double rows = defaults::kSettingsPullRows;
  // The target weights. They are positive, and only their ratios matter. If this list is empty, all
  // target weights are equal.
  std::vector<double> towards;
};

struct HeldOut {
  std::vector<Setting> settings;
  // eta[setting][row] is the linear predictor of a held-out row by the fit that did not use this
  // row. It is 0 for rows that are never held out.
  std::vector<std::vector<double>> eta;
  std::vector<std::vector<std::vector<double>>> thetas;  // [setting][fold]: fitted parameters
  StartsAgreeing starts;  // how many starts agreed, summed over folds and K
  // penalties[setting][fold] is the penalty with the relevances that the fit learned.
  std::vector<std::vector<Penalty>> penalties;
  StackPull pull;
  // What the average of the settings averages: their linear predictors, or their probabilities.
  Mixed mixed = Mixed::kPredictors;
  // kAverage: stacking finds the weights of the settings (stacking.hpp). kPick: the setting with the
  // lowest loss has all the weight.
  Treatment treatment = Treatment::kAverage;
};

// What is known about starting points before the fits.
struct KnownStarts {
  // Starting points that were chosen before, by the number of experts. No other starting points are
  // tried for these K.
  std::map<int, std::vector<double>> chosen = {};
  // If not null, the starts of all other K are compared on these rows, which are few, instead of the
  // training rows. The pointer is not owned.
  const Problem* compared_on = nullptr;
};

struct HeldOutEffort {
  // Number of starts for the first setting of each K. One is the spectral start, the others are
  // random.
  int starts = 1;
  std::uint64_t seed = 1;
  int num_threads = 1;
  // If this is not empty, it replaces the spectral start of one K: the K whose mixture has as many
  // parameters as `start` has entries.
  std::vector<double> start = {};
  KnownStarts known = {};
};

// Fits every setting on every fold. The settings of one K are fitted in the given order; each fit
// starts from the optimum of the previous setting. The first setting must be the pooled model.
//
// Order the settings of one K from weak to strong penalties. A strong penalty makes a mixture
// collapse onto the saddle point where all experts are equal. A fit with a weaker penalty that
// starts at this point stays there.
HeldOut predict_held_out(const Problem& problem, const Folds& folds,
                         const std::vector<Setting>& settings, const HeldOutEffort& effort,
                         const std::function<void(double fraction)>& progress);

// Adds the settings smooth_settings(): fits weights that are linear in the context on every fold and
// predicts the held-out rows. The fit on all rows is a good effort.start, because those on folds are
// similar.
void add_smooth(const Problem& problem, const Folds& folds, const SmoothStructure& structure,
                const SmoothEffort& effort, int num_threads, HeldOut& held_out);

// Appends the settings of `more` to those of `held_out`. Both were fitted on the same folds. The
// pooled model of `more` is left out, because `held_out` has the pooled model already.
void append(HeldOut more, HeldOut& held_out);

// Returns -log P(y) of each held-out row given its linear predictor, and NaN for rows that are
// never held out. If outcomes are continuous, P is the density of the outcome in the log's units.
std::vector<double> row_losses(const Problem& problem, const Folds& folds,
                               std::span<const double> eta);

// Returns the mean of a per-row quantity, weighted by the row weights. Rows for which the quantity is
// NaN are skipped.
double weighted_mean(const Problem& problem, std::span<const double> per_row);

// Returns weighted_mean() and its standard error. If `groups` is empty, the standard error assumes
// that rows are independent; else it assumes only that groups are independent.
MeanAndError mean_and_error(const Problem& problem, std::span<const double> per_row,
                            std::span<const std::uint32_t> groups);

}  // namespace otss::internal
