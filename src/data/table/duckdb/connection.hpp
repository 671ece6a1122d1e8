// DuckDB's C API with destructors instead of destroy calls, and exceptions instead of error states.
#pragma once

#include <duckdb.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace otss::duck {

// An error of DuckDB. Callers know what the user wanted to do, and convert it to an otss::Error.
class Failure : public std::runtime_error {
 public:
  Failure(duckdb_error_type type, const std::string& message)
      : std::runtime_error(message), type_(type) {}
  duckdb_error_type type() const { return type_; }

  // The message as one line, without DuckDB's advice on its options and its pointer into the SQL.
  std::string one_line() const;

 private:
  duckdb_error_type type_;
};

struct ResultColumn {
  std::string name;
  duckdb_type type;
};

// A separate in-memory database. It never downloads or loads extensions and never writes temporary
// data to disk.
class Connection {
 public:
  explicit Connection(int num_threads);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From now on, SQL can read only these files.
  void restrict_to(const std::vector<std::string>& files);

  void execute(const std::string& sql);
  std::vector<ResultColumn> describe(const std::string& select);

  // From here on SQL runs on one thread: sums of doubles are the same bits and groups come in the
  // same order every time.
  void use_one_thread_for_sql();

  // Runs `select` without storing its result. Chunks arrive in row order; each one is freed when
  // the callback returns.
  void stream(const std::string& select, const std::function<void(duckdb_data_chunk)>& consume);

  // The first row of a select whose columns are all VARCHAR, or nothing if it has no rows.
  using TextRow = std::vector<std::optional<std::string>>;
  std::optional<TextRow> first_row(const std::string& select);

  duckdb_connection handle() const { return connection_; }

 private:
  int num_threads_;
  bool abandoned_ = false;  // a stream was not read to its end
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

std::string quoted_name(std::string_view name);      // "a ""b"""
std::string quoted_literal(std::string_view value);  // 'it''s'
std::string quoted_list(const std::vector<std::string>& values);

}  // namespace otss::duck
