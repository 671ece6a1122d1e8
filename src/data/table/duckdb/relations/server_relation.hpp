// This header lets DuckDB read a table of a PostgreSQL server. All rules for files then hold for such
// a table too: text factors, dates, the values of the outcome, and so on.
#pragma once

#include <memory>
#include <string>

#include "data/table/duckdb/connection.hpp"
#include "data/table/postgres/server_table.hpp"

namespace otss::internal::duck {

// Registers a table function that reads `table`. Returns the relation, that is, the part of an SQL
// query that follows FROM. Throws an Error if two columns have the same name.
std::string server_relation(Connection& connection, std::shared_ptr<postgres::ServerTable> table);

}  // namespace otss::internal::duck
