// Draws the two samples of a large log: the rows on which the settings of a model are chosen, and
// the rows that judge the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "otss/data/logged_data.hpp"

namespace otss::internal {

// Two sets of rows without a common row, in the order of the log. With groups, the samples have no
// common group either, and each sample has all rows of its groups.
struct RowSamples {
  std::vector<std::size_t> first, second;
};

struct SampleOptions {
  std::size_t rows = 0;  // the least number of rows of each sample
  // The share of the rows that counts as late in a log with times. The first sample is then drawn
  // from the other rows and the second from the late rows, so that the second sample judges
  // predictions of the future.
  double late_share = 0;
  std::uint64_t seed = 1;
  std::size_t fewest_groups = 30;  // each sample of a log with groups has at least so many groups
};

// Draws both samples from the rows whose weight is positive. Whether a row is in a sample depends
// only on a hash of the value of its group (or without groups, of its row number) and of the seed,
// and on how large a share of the rows is needed. Returns nothing if the groups are so few or so
// large that there are no two such samples.
std::optional<RowSamples> draw_samples(const LoggedData& log, const SampleOptions& options);

// The places of the samples' rows: below `below` in the first sample, from `from` on in the second.
struct SampleLimits {
  double below = 0;
  double from = 1;
  std::uint64_t seed = 1;
};

// Returns the limits of a log without groups and times, of which `num_counting` rows have a positive
// weight.
SampleLimits limits_without_groups(std::size_t num_counting, const SampleOptions& options);

// Returns the rows of both samples that are in `part`, which has the rows of a log without groups and
// times from `first_row` on. Row numbers are those of the whole log.
RowSamples rows_within(const LoggedData& part, std::size_t first_row, const SampleLimits& limits);

// Returns the number of rows whose weight is positive.
std::size_t num_counting_rows(const LoggedData& log);

}  // namespace otss::internal
