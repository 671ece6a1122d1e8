// Weights settings (number of experts, penalty) by their loss on held-out rows, and records which
// settings were tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/averaging/distill.hpp"

namespace otss::internal {

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
  // Predictors between those of the pooled model and of the average, pooled + share·(average −
  // pooled), have the lowest held-out loss at this share in [0, 1].
  double average_share = 1;
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
  // The indices of the settings that were fitted, in increasing order. If empty, all settings were
  // fitted. The predictors of a setting that was not fitted are empty, and its weight is 0.
  std::vector<std::size_t> fitted = {};
};

// Returns the weight of each setting of a run; settings that were not fitted have weight 0.
std::vector<double> run_weights(const Problem& problem, const HeldOutRun& run, int num_threads);

// Computes the losses and the weights of the settings, and the gain. All are computed from held-out
// predictions and averaged over the runs; `members` stays empty. All runs must have the same
// settings, and the first run must have fitted them all. A setting's loss is its mean over the runs
// that fitted it. `groups` is empty if the rows are independent.
// The held-out rows of a run with one split are divided into `num_parts` parts, each of which is
// predicted by weights that the others choose.
Selection weigh(const Problem& problem, std::span<const HeldOutRun> runs,
                std::span<const std::uint32_t> groups, int num_threads,
                std::size_t num_parts = defaults::kFolds);

}  // namespace otss::internal
