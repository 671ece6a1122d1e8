// Predictions of held-out rows. Settings are chosen and weighted by the loss of these only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/mixture/mixture_fit.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/split.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"

namespace otss {

StartsAgreeing starts_agreeing(std::span<const MixtureFit> fits);

struct Setting {
  int experts = 1;
  Penalty penalty;
  bool learn_relevance = false;  // learn a gate strength per context column (relevance.hpp)
};

// Fits one setting. `penalty` gives the relevances to start from (empty: none) and receives the
// setting's penalty with the learned relevances.
MixtureFit fit_setting(const Problem& problem, const Setting& setting,
                       std::span<const double> start, Penalty& penalty, const FitEffort& effort);

// Regularisation of the stacking weights, which decides where held-out rows cannot distinguish
// settings: `rows` times the relative entropy of the weights to `towards`.
struct StackPull {
  double rows = defaults::kSettingsPullRows;
  std::vector<double> towards;  // positive, up to a common factor; empty: equal weights
};

struct HeldOut {
  std::vector<Setting> settings;
  std::vector<std::vector<double>> eta;  // setting × row; 0 for rows that are never held out
  std::vector<std::vector<std::vector<double>>> thetas;  // setting × fold: fitted parameters
  StartsAgreeing starts;                                 // summed over folds and values of K
  // setting × fold: the penalty with the relevances that the fit learned
  std::vector<std::vector<Penalty>> penalties;
  StackPull pull;
};

struct HeldOutEffort {
  int starts = 1;  // starting points for the first setting of each K: the spectral, then random
  std::uint64_t seed = 1;
  int num_threads = 1;
  std::vector<double> start = {};  // replaces the spectral start for the K whose layout it fits
};

// Fits every setting on every fold. Settings of one K are fitted in the order given, each started
// from the optimum of the one before. Order them from weak to strong penalties: a strongly
// penalised mixture collapses onto the saddle point where all experts are equal, and a weaker
// penalty started there stays there. The first setting must be the pooled model.
HeldOut predict_held_out(const Problem& problem, const Folds& folds,
                         const std::vector<Setting>& settings, const HeldOutEffort& effort,
                         const std::function<void(double fraction)>& progress);

// -log P(y), in the log's units, of each held-out row given its linear predictor; NaN for rows that
// are never held out.
std::vector<double> row_losses(const Problem& problem, const Folds& folds,
                               std::span<const double> eta);

// Weighted mean of a per-row quantity over the rows where it is not NaN, and its standard error;
// with `groups`, groups are the independent units.
MeanAndError mean_and_error(const Problem& problem, std::span<const double> per_row,
                            std::span<const std::uint32_t> groups);

}  // namespace otss
