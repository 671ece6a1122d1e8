// What a log may not contain, said with the row it happens in.
#pragma once

#include <cstddef>
#include <span>

#include "data/log/column_summary.hpp"
#include "data/log/log_layout.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

// `first_row` is the 0-based row of the first value; messages count from 1.
void check_outcomes(const LogLayout& layout, OutcomeKind kind, std::span<const double> values,
                    std::size_t first_row);
void check_weights(const LogLayout& layout, std::span<const double> values, std::size_t first_row);
void check_times(const LogLayout& layout, std::span<const double> values, std::size_t first_row);
void check_factor(const LogLayout& layout, std::size_t factor, std::span<const double> values,
                  std::size_t first_row);
void check_context(const LogLayout& layout, std::size_t context, std::span<const double> values,
                   std::size_t first_row);

// Names the largest of the values: these are the first that did not fit into f32. The largest is to
// blame even where it was the others that did not, since all are stored relative to their mean.
[[noreturn]] void refuse_outlier(const LogLayout& layout, std::size_t column,
                                 std::span<const double> values, std::size_t first_row);

// Once all rows are in.
void check_outcome_varies(const LogLayout& layout, std::span<const float> outcomes);
void check_some_weight(const LogLayout& layout, std::span<const float> weights);
void check_factor_varies(const LogLayout& layout, std::size_t factor, const ColumnSummary& summary);
void check_range(const LogLayout& layout, std::size_t column, const ColumnSummary& summary);

}  // namespace otss
