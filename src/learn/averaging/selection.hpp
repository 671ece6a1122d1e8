// Weights settings (number of experts, penalty) by their loss on held-out rows and records what was
// tried.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/averaging/distill.hpp"
#include "learn/options/defaults.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

struct SelectionOptions {
  std::vector<int> experts;  // candidate K > 1; the pooled model is always a candidate too
  int folds = defaults::kFolds;
  double validation = 0;           // > 0: one split with this share of the rows instead of folds
  int starts = 1;                  // starting points per K and fold
  std::vector<double> start = {};  // first starting point: the model to continue; empty: spectral
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Tried {
  Setting setting;
  double loss = 0;    // mean over the held-out rows
  double weight = 0;  // weight in the average
};

struct Selection {
  std::vector<Tried> tried;
  std::vector<Member> members;  // the average: fits on all rows of the settings with weight
  // Held-out loss of the whole procedure: the weights of the average that predicts a row are chosen
  // without that row.
  double validation_loss = 0;
  double pooled_loss = 0;
  MeanAndError gain;                 // pooled loss minus validation loss, per row
  std::vector<double> held_out_eta;  // predictions behind validation_loss; NaN if never held out
  StartsAgreeing starts;
  std::string split;  // how rows were held out, in words
};

// Computes losses, weights and gain of the settings from their held-out predictions; leaves
// `members` empty. `whole_log`: the problem has all rows of the log, so that the log's groups
// apply.
Selection weigh(const LoggedData& log, const Problem& problem, const HeldOut& held_out,
                const Folds& folds, bool whole_log, int num_threads);

Selection select_settings(const LoggedData& log, const Problem& problem,
                          const Penalty& pooled_penalty, const SelectionOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace otss
