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

// An error of DuckDB. The code that catches it knows what the user wanted to do, and throws an
// otss::Error instead.
class Failure : public std::runtime_error {
 public:
  Failure(duckdb_error_type type, const std::string& message)
      : std::runtime_error(message), type_(type) {}
  duckdb_error_type type() const { return type_; }

  // Returns the message as one line, without DuckDB's advice about its options and without the
  // pointer into the SQL.
  std::string one_line() const;

 private:
  duckdb_error_type type_;
};

struct ResultColumn {
  std::string name;
  duckdb_type type;
  int decimal_width = 0, decimal_scale = 0;  // only of DECIMAL
};

// A separate in-memory database. It never downloads or loads extensions and never writes temporary
// data to disk.
class Connection {
 public:
  explicit Connection(int num_threads);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // After this call, SQL can read only these files.
  void restrict_to(const std::vector<std::string>& files);

  void execute(const std::string& sql);
  std::vector<ResultColumn> describe(const std::string& select);

  // After this call SQL runs on one thread, so that sums of doubles are the same to the bit and
  // groups come in the same order in every run.
  void use_one_thread_for_sql();

  // Runs `select` without storing its result. Chunks arrive in row order; each one is freed when
  // the callback returns.
  void stream(const std::string& select, const std::function<void(duckdb_data_chunk)>& consume);

  // Returns the first row of a select whose columns are all VARCHAR, or nothing if the select has
  // no rows.
  using TextRow = std::vector<std::optional<std::string>>;
  std::optional<TextRow> first_row(const std::string& select);

  duckdb_connection handle() const { return connection_; }

 private:
  int num_threads_;
  bool abandoned_ = false;  // true if a stream was not read to its end
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

std::string quoted_name(std::string_view name);      // such as "a ""b"""
std::string quoted_literal(std::string_view value);  // such as 'it''s'
std::string quoted_list(const std::vector<std::string>& values);

}  // namespace otss::duck
