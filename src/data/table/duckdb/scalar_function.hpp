// This header registers C++ functions as SQL functions.
#pragma once

#include <duckdb.h>
#include <fmt/core.h>

#include <utility>
#include <vector>

#include "data/table/duckdb/connection.hpp"

namespace otss::internal::duck {

struct FunctionType {
  const char* name;
  std::vector<duckdb_type>
      parameters;  // empty: the function takes any number of values of any type
  duckdb_type result;
  bool has_effects = false;  // true: DuckDB must call the function for every row
};

// Registers an SQL function. It is called also if an argument is NULL. `kept` is what the function
// can look up with extra_info.
template <class Kept>
void register_function(Connection& connection, const FunctionType& type,
                       duckdb_scalar_function_t body, Kept kept) {
  std::vector<duckdb_logical_type> types;
  const auto logical = [&](duckdb_type one) {
    return types.emplace_back(duckdb_create_logical_type(one));
  };
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, type.name);
  for (const duckdb_type parameter : type.parameters)
    duckdb_scalar_function_add_parameter(function, logical(parameter));
  if (type.parameters.empty())
    duckdb_scalar_function_set_varargs(function, logical(DUCKDB_TYPE_ANY));
  duckdb_scalar_function_set_return_type(function, logical(type.result));
  duckdb_scalar_function_set_special_handling(function);
  if (type.has_effects) duckdb_scalar_function_set_volatile(function);
  duckdb_scalar_function_set_extra_info(function, new Kept(std::move(kept)),
                                        [](void* info) { delete static_cast<Kept*>(info); });
  duckdb_scalar_function_set_function(function, body);
  const auto state = duckdb_register_scalar_function(connection.handle(), function);
  duckdb_destroy_scalar_function(&function);
  for (duckdb_logical_type& one : types) duckdb_destroy_logical_type(&one);
  if (state == DuckDBSuccess) return;
  throw Failure(DUCKDB_ERROR_INTERNAL,
                fmt::format("DuckDB refused the SQL function {}; please report this as a bug in "
                            "otss",
                            type.name));
}

template <class Kept>
const Kept& extra_info(duckdb_function_info info) {
  return *static_cast<const Kept*>(duckdb_scalar_function_get_extra_info(info));
}

}  // namespace otss::internal::duck
