// Splits of the rows into training and held-out rows; all methods of a fit share one.
#pragma once

#include <string>

#include "learn/options/defaults.hpp"
#include "learn/problem/problem.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

// The fold of each row. In fold f, rows with of_row = f are held out and all others are training
// rows. Rows with kNeverHeldOut are training rows in every fold.
struct Folds {
  static constexpr std::uint8_t kNeverHeldOut = 255;
  int count = 0;
  std::vector<std::uint8_t> of_row;

  Problem training(const Problem& problem, int fold) const;
  bool held_out(std::size_t row) const { return of_row[row] != kNeverHeldOut; }
};

// Divides the held-out rows into parts, so that the rows of one part can be predicted by a setting
// chosen on the other parts: the folds themselves or, if there is only one split, kFolds parts of
// it.
std::vector<std::uint8_t> honest_parts(const Folds& folds);

struct SplitOptions {
  int folds = defaults::kFolds;
  double validation = 0;  // > 0: one split with this share of the rows instead of folds
  std::uint64_t seed = 1;
};

struct NamedFolds {
  Folds folds;
  std::string words;  // how rows are held out, in words
};

// Holds out this share of the rows once: the latest rows if the log has times, else random rows.
NamedFolds one_split(const LoggedData& log, double share, std::uint64_t seed);

// Folds; or one split if options.validation > 0 or the log has times.
NamedFolds split_rows(const LoggedData& log, const SplitOptions& options);

}  // namespace otss
