// Chooses the settings (number of experts, penalty) that are fitted on folds, and averages them with
// the weights that held-out rows give them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/averaging/weighing.hpp"
#include "learn/options/defaults.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

struct SelectionOptions {
  std::vector<int> experts;  // values of K to try, all > 1; the pooled model is always tried too
  int folds = defaults::kFolds;
  // If this is positive, one split replaces the folds, and this share of the rows is held out.
  double validation = 0;
  int starts = 1;  // number of starting points per K and fold
  // If true, larger K are tried as long as the largest K predicts held-out rows better than the next
  // smaller one (next_count).
  bool may_grow = false;
  // If true, weights that are linear in the context join the average (smooth_settings).
  bool smooth = false;
  // Number of times that the rows are divided into folds. The weights of the settings are averaged
  // over these divisions, so that the model depends less on the seed.
  int repeats = 1;
  // The parameters of the model that the fit continues, as the first starting point. If empty, the
  // first starting point is the spectral start.
  std::vector<double> start = {};
  // True if the user gave the number of experts: then the pooled model is not picked.
  bool count_is_given = false;
  // If true, the settings are the common ridges of defaults::kRidgeGateScales and kRidgeExpertScales.
  bool ridges = false;
  // True if the rows are a sample of a large log, to which the result will be fitted again. Then
  // larger K are tried on all rows of the sample, and no fit is more precise than its use needs.
  bool is_sample = false;
  // kAverage or kPick. With kPick, the only member is the setting with the lowest held-out loss.
  Treatment treatment = Treatment::kAverage;
  // If false, which needs kPick and one split, the member is the fit to the training rows.
  bool refit = true;
  std::uint64_t seed = 1;
  int num_threads = 1;
};

// Returns the sum of the variances of the context columns, but at least 1. A numeric column is
// standardised and has variance 1. The indicators of a text column's levels are divided by 0.5
// (encoder.hpp), so their variances sum to less than 4. The returned sum divided by s² is the
// penalty strength at which the gate scores have the prior standard deviation s.
double summed_context_variance(const Problem& problem);

// Returns `linear`, the model whose weights are linear in the context, as a member of an average. If
// the setting says so, its weights change along one direction only.
Member smooth_member(const Problem& problem, double weight, const Setting& setting,
                     const SmoothFit& linear);

// Returns the K that may be tried after these K, which ascend: the sum of the two largest. Returns 0
// if there are fewer than two, if the log has too few rows for the sum
// (defaults::kRowsPerParameter), or if the sum is above defaults::kMostExperts.
int larger_count(const Problem& problem, std::span<const int> counts);

// Returns the next K to try, which is larger_count() of the K tried so far. Returns 0 if there is
// none, or if the largest K does not predict held-out rows better than the second largest by more
// than a standard error.
int next_count(const Problem& problem, const HeldOutRun& run,
               std::span<const std::uint32_t> groups);

Selection select_settings(const LoggedData& log, const Problem& problem,
                          const Penalty& pooled_penalty, const SelectionOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace otss::internal
