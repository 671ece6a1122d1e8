// A LogSummary is what one pass over the LOG of a report keeps, in memory that does not grow with
// the log: exact means over all rows, and a random sample of rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"

namespace otss::internal {

// A random sample of the contexts of a log. It depends on the seed of the report, and not on the
// number of threads.
struct ContextSample {
  std::size_t num_rows = 0;
  std::vector<double> x;  // the encoded contexts, num_rows × p
  // The raw values, one list of num_rows entries per context column. A number is the number itself;
  // NaN means missing. A text is the position of its level in ContextColumn::levels; NaN means
  // missing and -1 means a text that training did not have.
  std::vector<std::vector<double>> raw;

  static constexpr std::size_t kMostRows = 20'000;
};

// Exact numbers of one expert over all rows of the log.
struct SegmentTotals {
  double share = 0;             // the mean share of the expert
  double members = 0;           // the share of rows in which this expert has the largest share
  std::vector<double> weights;  // J mean weights of the members; empty if there are no members
};

struct LogSummary {
  std::string name;  // the name of the table
  std::size_t rows = 0;
  ContextSample sample;
  // Weights are those of the population, whatever is known about units.
  std::vector<double> mean_weights;     // J: the mean of w_j(x) over all rows
  std::vector<double> mean_magnitudes;  // J: the mean of |w_j(x)| over all rows
  std::vector<SegmentTotals> segments;  // K entries; empty if the model has no experts
  UnknownCounts unknown;
};

}  // namespace otss::internal
