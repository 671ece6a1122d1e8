// This header describes the values of the context columns: ranges, quantiles, and a typical value.
#pragma once

#include <vector>

#include "report/report_input.hpp"

namespace otss::internal {

// Returns the values of `raw` that are not missing, sorted.
std::vector<double> sorted_values(const std::vector<double>& raw);

// Returns the p-quantile of sorted values, interpolated between neighbours.
double sorted_quantile(const std::vector<double>& sorted, double p);

// Returns one entry per context column.
std::vector<ColumnFacts> column_facts(const ReportInput& input);

// Returns a typical value of each column: the median number or the most frequent text, of LOG or of
// the training log. The mean takes the place of the median if only the model file is known.
std::vector<TypicalValue> typical_values(const Encoder& encoder, const LogSummary* log);

// Returns a sample with the typical context alone, for a report without LOG.
ContextSample typical_sample(const Encoder& encoder);

}  // namespace otss::internal
