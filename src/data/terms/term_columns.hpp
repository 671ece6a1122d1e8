// Reads the factors of a table: its own columns, and terms that are computed from its columns.
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

// Returns the term that a factor is in a table with these columns. Returns nothing if the table has
// a column of this name, or if the name is not a term.
std::optional<Term> term_of(std::span<const ColumnInfo> columns, std::string_view factor);

// True if the table has a column of this name, or all columns of the term that has this name.
bool has_factor(std::span<const ColumnInfo> columns, std::string_view factor);

// Throws an Error unless has_factor. The Error names the table, the column that is missing, and
// `role`, which says what needs the factor.
void require_factor(std::span<const ColumnInfo> columns, std::string_view factor,
                    std::string_view role, std::string_view table);

// Reads columns as TableReader::read does. A request for numbers may also name a term. An undefined
// logarithm is an Error that names the row. Precondition: has_factor for every request.
void read_with_terms(const TableReader& reader, const std::vector<ColumnRequest>& requests,
                     const std::function<void(const TableChunk&)>& consume);

// Returns the whole table, read by read_with_terms.
Table read_table_with_terms(const TableReader& reader, const std::vector<ColumnRequest>& requests);

// Computes one term from its columns. `place` gives the name of a row (from 0) in an Error.
std::vector<double> term_values(const Term& term, std::span<const double> a,
                                std::span<const double> b,
                                const std::function<std::string(std::size_t)>& place);

}  // namespace otss::internal
