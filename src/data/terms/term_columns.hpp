// This header reads the factors of a table: columns of the table, and terms that are computed from
// its columns.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/table.hpp"
#include "otss/data/term.hpp"

namespace otss::internal {

// Returns the term of a factor in a table with these columns. Returns nothing if the factor is a
// column of the table, or if its name is not a term.
std::optional<Term> term_of(std::span<const ColumnInfo> columns, std::string_view factor);

// Returns true if the table has a column with this name, or if the name is a term and the table has
// all columns of the term.
bool has_factor(std::span<const ColumnInfo> columns, std::string_view factor);

// Throws an Error if has_factor returns false. The Error names the table, the missing column, and
// `role`, which says what needs the factor.
void require_factor(std::span<const ColumnInfo> columns, std::string_view factor,
                    std::string_view role, std::string_view table);

// Reads columns as TableReader::read does. A request for numbers may also name a term. An undefined
// logarithm is an Error that names the row. has_factor must be true for every request.
void read_with_terms(const TableReader& reader, const std::vector<ColumnRequest>& requests,
                     const std::function<void(const TableChunk&)>& consume);

// Returns `count` columns of a chunk, from `first` on. Several readers can share one pass over a table
// in this way: each gets the columns that it requested.
TableChunk columns_of(const TableChunk& chunk, std::size_t first, std::size_t count);

// Reads as read_with_terms does, with TableReader::read_in_parallel.
void read_with_terms_in_parallel(
    const TableReader& reader, const std::vector<ColumnRequest>& requests,
    const std::function<std::function<void()>(const TableChunk&)>& work);

// Returns the whole table, read by read_with_terms.
Table read_table_with_terms(const TableReader& reader, const std::vector<ColumnRequest>& requests);

// Computes one term from the values of its columns. `place` returns the words for a row (counted
// from 0) in an Error.
std::vector<double> term_values(const Term& term, std::span<const double> a,
                                std::span<const double> b,
                                const std::function<std::string(std::size_t)>& place);

}  // namespace otss::internal
