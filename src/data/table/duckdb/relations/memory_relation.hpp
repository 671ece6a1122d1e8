// This header lets DuckDB read a table that is already in memory. All rules for files then hold for
// such a table too: text factors, the values of the outcome, SQL, and so on.
#pragma once

#include <memory>
#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

// Registers a table function that reads `table`. Returns the relation, that is, the part of an SQL
// query that follows FROM. Throws an Error if the table is not consistent: no columns, two columns
// of one name, or a column without a reader.
std::string memory_relation(Connection& connection, std::shared_ptr<const MemoryTable> table);

}  // namespace otss::internal::duck
