// Weights settings (number of experts, penalty) by their loss on held-out rows, and records which
// settings were tried.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/averaging/distill.hpp"
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
  bool smooth = false;  // if true, weights that are linear in the context join the average
  // Number of times that the rows are divided into folds. The weights of the settings are averaged
  // over these divisions, so that the model depends less on the seed.
  int repeats = 1;
  // The parameters of the model that the fit continues, as the first starting point. If empty, the
  // first starting point is the spectral start.
  std::vector<double> start = {};
  // True if the rows are a sample of a large log, to which the result will be fitted again. Then
  // larger K are tried on all rows of the sample, and no fit is more precise than its use needs.
  bool is_sample = false;
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Tried {
  Setting setting;
  double loss = 0;    // mean held-out loss of this setting
  double weight = 0;  // weight of this setting in the average
};

struct Selection {
  std::vector<Tried> tried;
  // The members of the average: each setting whose weight is not negligible, fitted on all rows.
  std::vector<Member> members;
  // Held-out loss of the average: each row is predicted by an average whose weights were chosen
  // without that row.
  double validation_loss = 0;
  double pooled_loss = 0;
  MeanAndError gain;  // pooled_loss minus validation_loss, per row
  // The linear predictors of the held-out rows under the average, for the first division into
  // folds. Each row is predicted by an average whose weights were chosen without that row. The
  // entry is NaN for rows that are never held out.
  std::vector<double> held_out_eta;
  // The same for the pooled model, fitted without the row. The entry means nothing for rows that are
  // never held out.
  std::vector<double> pooled_eta;
  StartsAgreeing starts;
  std::string split;  // how rows were held out, in words
  // For each division of the rows into folds, the weight of each setting.
  std::vector<std::vector<double>> weights_by_division;
  std::optional<double> seed_changes;  // see AveragedSettings::seed_changes
};

// One division of the rows into folds. Each held-out row is predicted by fits that did not use the
// row.
struct HeldOutRun {
  Folds folds;
  HeldOut held_out;
};

// Returns the sum of the variances of the context columns, but at least 1. A numeric column is
// standardised and has variance 1. The indicators of a text column's levels are divided by 0.5
// (encoder.hpp), so their variances sum to less than 4. The returned sum divided by s² is the
// penalty strength at which the gate scores have the prior standard deviation s.
double summed_context_variance(const Problem& problem);

// Computes the losses and the weights of the settings, and the gain. All are computed from held-out
// predictions and averaged over the runs; `members` stays empty. All runs must have the same
// settings. `groups` is empty if the rows are independent.
Selection weigh(const Problem& problem, std::span<const HeldOutRun> runs,
                std::span<const std::uint32_t> groups, int num_threads);

// Returns `fit`, the model whose weights are linear in the context, as a member of an average.
Member smooth_member(const Problem& problem, double weight, const Penalty& pooled_penalty,
                     const SmoothFit& fit);

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
