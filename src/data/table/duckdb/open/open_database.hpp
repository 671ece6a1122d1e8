// This header opens DuckDB's databases before they are needed, and closes them when they are not
// needed any more, on other threads. Opening a database takes as long as reading a hundred thousand
// rows, and closing one waits for the end of all its threads.
#pragma once

#include <duckdb.h>

#include <optional>
#include <string>

namespace otss::internal::duck {

struct OpenedDatabase {
  duckdb_database database = nullptr;  // null if the database could not be opened
  // DuckDB's message about the failure. Missing if there was no memory left for the message.
  std::optional<std::string> error = {};
};

// Opens a database in memory whose SQL runs on up to `num_threads` threads. If open_ahead() has
// opened such a database, returns that one. The database never downloads or loads extensions and
// never writes temporary data to disk.
OpenedDatabase open_database(int num_threads);

// Starts to open `count` databases on other threads, for later calls of open_database(). Does
// nothing if num_threads is 1.
void open_ahead(int count, int num_threads);

// Waits for all databases that open_ahead() opens and that nobody has taken, and closes them. Call this
// function before the program ends: DuckDB's own static objects, which the opening threads use, are
// destroyed before any of ours.
void close_spares();

// Closes the connection and then the database, on another thread. If the database before this one is
// still being closed, waits for it first.
void close_on_another_thread(duckdb_connection connection, duckdb_database database);

}  // namespace otss::internal::duck
