// Weights settings (number of experts, penalty) by their loss on held-out rows, and records which
// settings were tried.
#pragma once

#include <functional>
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
  // The first starting point: the parameters of the model to continue. If empty, it is the spectral
  // start.
  std::vector<double> start = {};
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Tried {
  Setting setting;
  double loss = 0;    // mean loss over the held-out rows
  double weight = 0;  // weight in the average
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
  // The linear predictors from which validation_loss is computed; NaN for rows that are never held
  // out.
  std::vector<double> held_out_eta;
  StartsAgreeing starts;
  std::string split;  // how rows were held out, in words
};

// Computes losses, weights and gain of the settings from their held-out predictions, and leaves
// `members` empty. `whole_log` is true if the problem has all rows of the log; only then are the
// log's groups used.
Selection weigh(const LoggedData& log, const Problem& problem, const HeldOut& held_out,
                const Folds& folds, bool whole_log, int num_threads);

Selection select_settings(const LoggedData& log, const Problem& problem,
                          const Penalty& pooled_penalty, const SelectionOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace otss::internal
