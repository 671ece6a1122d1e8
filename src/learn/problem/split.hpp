// The one split all methods of a fit share.
#pragma once

#include <string>

#include "learn/options/defaults.hpp"
#include "learn/problem/problem.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

// Which rows are held out when. Fold f trains on every row whose number is not f and predicts the
// rows whose number is; a row with kNeverHeldOut only trains.
struct Folds {
  static constexpr std::uint8_t kNeverHeldOut = 255;
  int count = 0;
  std::vector<std::uint8_t> of_row;

  Problem training(const Problem& problem, int fold) const;
  bool held_out(std::size_t row) const { return of_row[row] != kNeverHeldOut; }
};

// A part for each held-out row, so that rows can be predicted by what was chosen without them: its
// fold, or one of a few where there is one split.
std::vector<std::uint8_t> honest_parts(const Folds& folds);

struct SplitOptions {
  int folds = defaults::kFolds;
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
