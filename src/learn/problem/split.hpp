// Splits the rows into training and held-out rows. Methods that are compared on one log use the
// same split.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learn/options/defaults.hpp"
#include "learn/problem/problem.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// Assigns a fold to each row. In fold f, the rows with of_row = f are held out and all other rows
// are training rows. Rows with of_row = kNeverHeldOut are training rows in every fold.
struct Folds {
  static constexpr std::uint8_t kNeverHeldOut = 255;
  int count = 0;
  std::vector<std::uint8_t> of_row;

  Problem training(const Problem& problem, int fold) const;
  bool held_out(std::size_t row) const { return of_row[row] != kNeverHeldOut; }
};

// Divides the held-out rows into parts and returns the number of each row's part. The rows of one
// part can then be predicted by a setting chosen on the other parts. With several folds, the parts
// are the folds. With only one split, its held-out rows are divided into `count` parts. If `groups`
// is not empty, all rows of a group are in the same part.
std::vector<std::uint8_t> honest_parts(const Folds& folds, std::span<const std::uint32_t> groups,
                                       std::size_t count = defaults::kFolds);

struct SplitOptions {
  int folds = defaults::kFolds;
  // If this is positive, one split replaces the folds, and this share of the rows is held out.
  double validation = 0;
  std::uint64_t seed = 1;
};

struct NamedFolds {
  Folds folds;
  std::string words;  // how rows are held out, in words
};

// Holds out `share` of the rows once: the latest rows if the log has times, else random rows.
NamedFolds one_split(const LoggedData& log, double share, std::uint64_t seed);

// Returns folds, or one split if options.validation > 0 or the log has times.
NamedFolds split_rows(const LoggedData& log, const SplitOptions& options);

}  // namespace otss::internal
