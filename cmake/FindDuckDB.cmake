# DuckDB's C library and header, which tools/get_duckdb puts into .deps/duckdb.
set(root ${PROJECT_SOURCE_DIR}/.deps/duckdb)
find_path(DuckDB_INCLUDE_DIR duckdb.h HINTS ${root})
find_library(DuckDB_LIBRARY duckdb HINTS ${root})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB
  REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run tools/get_duckdb once (./dev build does)")
if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(DuckDB::DuckDB PROPERTIES
    IMPORTED_LOCATION ${DuckDB_LIBRARY}
    IMPORTED_NO_SONAME ON
    INTERFACE_INCLUDE_DIRECTORIES ${DuckDB_INCLUDE_DIR})
endif()
