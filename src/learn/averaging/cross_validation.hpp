// Out-of-sample predictions: the only yardstick by which settings are chosen and weighed.
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
  bool learn_relevance = false;  // of the context columns to the gate (relevance.hpp)
};

// One fit of a setting; `penalty` receives the relevance it learned, for the next setting to start
// from.
MixtureFit fit_setting(const Problem& problem, const Setting& setting,
                       std::span<const double> start, Penalty& penalty, const FitEffort& effort);

// What weights are pulled towards where held-out rows cannot tell settings apart.
struct StackPull {
  double rows = defaults::kSettingsPullRows;  // worth of relative entropy
  std::vector<double> towards;                // positive, in any units; empty: equal weights
};

struct HeldOut {
  std::vector<Setting> settings;
  std::vector<std::vector<double>> eta;  // setting × row; only rows that are held out once
  std::vector<std::vector<std::vector<double>>> thetas;  // setting × fold: the fits themselves
  StartsAgreeing starts;                                 // over all folds and numbers of experts
  std::vector<std::vector<Penalty>>
      penalties;  // setting × fold: with the relevance each fit learned
  StackPull pull;
};

struct HeldOutEffort {
  int starts = 1;  // tried for the first setting of each K: the spectral one, then random ones
  std::uint64_t seed = 1;
  int num_threads = 1;
  std::vector<double> start = {};  // instead of the spectral one, for the K it has the size of
};

// Fits every setting on every fold. Settings of one K are fitted in the order given, each from the
// last one's optimum: order them from weak to strong penalties, since a strongly penalised mixture
// collapses onto the saddle where all experts agree and does not come back. The first setting must
// be the pooled one.
HeldOut predict_held_out(const Problem& problem, const Folds& folds,
                         const std::vector<Setting>& settings, const HeldOutEffort& effort,
                         const std::function<void(double fraction)>& progress);

// -log P(y), in the outcome's own units, of each held-out row under the given logits; NaN for rows
// that never are.
std::vector<double> row_losses(const Problem& problem, const Folds& folds,
                               std::span<const double> eta);

// Weighted mean of a per-row quantity over the rows where it is known.
MeanAndError mean_and_error(const Problem& problem, std::span<const double> per_row,
                            std::span<const std::uint32_t> groups);

}  // namespace otss
