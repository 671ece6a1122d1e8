// How many experts and how strong a penalty: held-out rows weigh the settings, and the record says
// what was tried.
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
  int starts = 1;                  // per K and fold
  std::vector<double> start = {};  // the first start, where it is given: a model to continue
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Tried {
  Setting setting;
  double loss = 0;    // mean over held-out rows
  double weight = 0;  // in the average
};

struct Selection {
  std::vector<Tried> tried;
  std::vector<Member> members;  // the average: fits of the settings that got weight
  // Of the procedure itself: every row is predicted by an average weighed without it.
  double validation_loss = 0;
  double pooled_loss = 0;
  MeanAndError gain;                 // pooled minus average, per row
  std::vector<double> held_out_eta;  // of the procedure itself, per row; NaN where never held out
  StartsAgreeing starts;
  std::string split;  // how rows were held out, in words
};

// What held-out predictions say about the settings; the members are still to be chosen. `whole_log`
// tells whether the problem's rows are all the log's, so that its groups apply.
Selection weigh(const LoggedData& log, const Problem& problem, const HeldOut& held_out,
                const Folds& folds, bool whole_log, int num_threads);

Selection select_settings(const LoggedData& log, const Problem& problem,
                          const Penalty& pooled_penalty, const SelectionOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace otss
