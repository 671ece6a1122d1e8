// These functions check the values of a log. Each function throws an Error(kInput) that names the
// row and the column if it finds a bad value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/log/column_summary.hpp"
#include "data/log/log_layout.hpp"
#include "data/table/text_levels.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// `first_row` is the row number of the first value, counted from 0. Messages count rows from 1.
void check_outcomes(const LogLayout& layout, OutcomeKind kind, std::span<const double> values,
                    std::size_t first_row);
void check_weights(const LogLayout& layout, std::span<const double> values, std::size_t first_row);
void check_times(const LogLayout& layout, std::span<const double> values, std::size_t first_row);
void check_factor(const LogLayout& layout, std::size_t factor, std::span<const double> values,
                  std::size_t first_row);
void check_context(const LogLayout& layout, std::size_t context, std::span<const double> values,
                   std::size_t first_row);

// Throws the error for a strip (consecutive rows of one column) in which some value is too large
// for f32. The message names the largest value of the strip, although another value may be the one
// that is too large. The reason is that values are stored as differences to a mean, and the largest
// value changes this mean.
[[noreturn]] void refuse_outlier(const LogLayout& layout, std::size_t column,
                                 std::span<const double> values, std::size_t first_row);

// The checks below are made after all rows have been read.
void check_outcome_varies(const LogLayout& layout, std::span<const float> outcomes);
void check_some_weight(const LogLayout& layout, std::span<const float> weights);
void check_factor_varies(const LogLayout& layout, std::size_t factor, const ColumnSummary& summary);
void check_range(const LogLayout& layout, std::size_t column, const ColumnSummary& summary);

// Returns notes for the user about levels of a text context: levels that differ only in upper and
// lower case (note_on_case), levels that may mean missing (note_on_missing), and levels that are probably numbers (note_on_numbers).
std::vector<std::string> notes_on_levels(const LogLayout& layout, const std::string& context,
                                         const std::vector<std::string>& texts,
                                         const std::vector<TextLevel>& levels);

}  // namespace otss::internal
