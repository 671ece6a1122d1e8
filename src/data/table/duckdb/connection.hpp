// DuckDB's C API with owners instead of destroy calls, and exceptions instead of states.
#pragma once

#include <duckdb.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace otss::duck {

// What DuckDB said. Callers know what the user asked for, and turn this into an otss::Error.
class Failure : public std::runtime_error {
 public:
  Failure(duckdb_error_type type, const std::string& message)
      : std::runtime_error(message), type_(type) {}
  duckdb_error_type type() const { return type_; }

  // The message without DuckDB's advice on its own options and without its pointer into the SQL, as
  // one line.
  std::string one_line() const;

 private:
  duckdb_error_type type_;
};

struct ResultColumn {
  std::string name;
  duckdb_type type;
};

// An in-memory database of its own. No extension is ever fetched or loaded, and nothing spills to
// disk.
class Connection {
 public:
  explicit Connection(int num_threads);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From here on SQL can read these files and nothing else, whatever it says.
  void restrict_to(const std::vector<std::string>& files);

  void execute(const std::string& sql);
  std::vector<ResultColumn> describe(const std::string& select);

  // From here on SQL runs on one thread: sums of doubles are the same bits and groups come in the
  // same order every time.
  void use_one_thread_for_sql();

  // Runs `select` without holding its result: the chunks arrive in row order and die with the
  // callback.
  void stream(const std::string& select, const std::function<void(duckdb_data_chunk)>& consume);

  // The first row of a select whose columns are all VARCHAR; nothing when it has no rows.
  using TextRow = std::vector<std::optional<std::string>>;
  std::optional<TextRow> first_row(const std::string& select);

  duckdb_connection handle() const { return connection_; }

 private:
  int num_threads_;
  bool abandoned_ = false;  // a stream was left before its end
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

std::string quoted_name(std::string_view name);      // "a ""b"""
std::string quoted_literal(std::string_view value);  // 'it''s'
std::string quoted_list(const std::vector<std::string>& values);

}  // namespace otss::duck
