// How many experts and how strong a penalty: chosen by held-out loss, with a record of what was tried.
#pragma once

#include <functional>
#include <vector>

#include "learn/held_out.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

struct SelectionOptions {
  std::vector<int> experts;  // candidate K > 1; the pooled model (K = 1) is always a candidate to compare with
  bool may_choose_pooled = true;
  int folds = 5;
  double validation = 0;  // > 0: one split with this share of the rows instead of folds
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Tried {
  Setting setting;
  double loss = 0;
};

struct Selection {
  Setting chosen;
  double validation_loss = 0;  // of the procedure: rows are scored by a setting chosen without them
  double pooled_loss = 0;
  PairedGain gain;             // pooled minus chosen, the same way
  std::vector<Tried> tried;
  std::size_t selection_rows = 0;  // rows the penalties were chosen on
  std::string split;               // how rows were held out, in words
};

Selection select_setting(const LoggedData& log, const Problem& problem, const Penalty& pooled_penalty,
                         const SelectionOptions& options, const std::function<void(double)>& progress);

}  // namespace otss
