// The one split all methods of a fit share.
#pragma once

#include <string>

#include "learn/held_out.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

struct SplitOptions {
  int folds = 5;
  double validation = 0;  // > 0: one split with this share of the rows instead of folds
  std::uint64_t seed = 1;
};

struct NamedFolds {
  Folds folds;
  std::string words;  // how rows are held out
};

// One split at random, or of the latest rows where the log has times.
NamedFolds one_split(const LoggedData& log, double share, std::uint64_t seed);

// Folds; or one split where a validation share is asked for or the log has times.
NamedFolds split_rows(const LoggedData& log, const SplitOptions& options);

}  // namespace otss
