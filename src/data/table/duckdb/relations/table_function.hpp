// This header registers C++ functions as tables that DuckDB can read.
#pragma once

#include <duckdb.h>
#include <fmt/core.h>

#include <string>
#include <utility>

#include "data/table/duckdb/connection.hpp"

namespace otss::internal::duck {

template <class Object>
void destroy_object(void* object) {
  delete static_cast<Object*>(object);
}

// The functions that DuckDB calls to read a table.
struct TableFunction {
  const char* name;
  duckdb_table_function_bind_t bind;  // names the columns
  duckdb_table_function_init_t init;  // begins a scan of the columns that a query needs
  duckdb_table_function_t read;       // writes the next chunk of the scan
};

// Registers the table and returns the relation, that is, the part of an SQL query that follows FROM.
// The functions get `kept` as extra info.
template <class Kept>
std::string register_table_function(Connection& connection, const TableFunction& functions,
                                    Kept kept) {
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, functions.name);
  duckdb_table_function_set_extra_info(function, new Kept(std::move(kept)), destroy_object<Kept>);
  duckdb_table_function_set_bind(function, functions.bind);
  duckdb_table_function_set_init(function, functions.init);
  duckdb_table_function_set_function(function, functions.read);
  duckdb_table_function_supports_projection_pushdown(function, true);
  const auto state = duckdb_register_table_function(connection.handle(), function);
  duckdb_destroy_table_function(&function);
  if (state != DuckDBSuccess) {
    throw Failure(DUCKDB_ERROR_INTERNAL,
                  "DuckDB refused the table function; please report this as a bug in otss");
  }
  return fmt::format("{}()", functions.name);
}

}  // namespace otss::internal::duck
