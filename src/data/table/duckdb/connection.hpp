// This header wraps DuckDB's C API. Destructors replace the destroy calls, and exceptions replace
// the error codes.
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal::duck {

// An error that DuckDB reports. The code that catches a Failure knows what the user wanted to do,
// and throws an otss::Error instead.
class Failure : public std::runtime_error {
 public:
  Failure(duckdb_error_type type, const std::string& message)
      : std::runtime_error(message), type_(type) {}
  duckdb_error_type type() const { return type_; }

  // Returns the message as one line. DuckDB's recommendations of DuckDB options and its quotation
  // of the SQL are removed.
  std::string one_line() const;

 private:
  duckdb_error_type type_;
};

// Returns the characters of a text in a chunk. They live as long as the chunk. DuckDB has functions
// for this and the next function, but a call of a library function per cell takes as long as
// reading the cell.
inline std::string_view text_view(const duckdb_string_t& text) {
  const std::uint32_t size = text.value.inlined.length;
  return {size <= sizeof(text.value.inlined.inlined) ? text.value.inlined.inlined
                                                     : text.value.pointer.ptr,
          size};
}

// Returns true if a row of a chunk has a value. `validity` has one bit per row, and is null if all
// rows have values.
inline bool is_valid(const std::uint64_t* validity, std::size_t row) {
  return validity == nullptr || ((validity[row / 64] >> (row % 64)) & 1U) != 0;
}

struct ResultColumn {
  std::string name;
  duckdb_type type;
  int decimal_width = 0, decimal_scale = 0;  // only of DECIMAL
};

// A connection to a separate in-memory database. The database never downloads or loads extensions
// and never writes temporary data to disk.
class Connection {
 public:
  explicit Connection(int num_threads);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // After this call, the destructor does not wait until the database is closed: another thread closes
  // it. So nothing that SQL functions of this connection refer to may depend on the time at which
  // the functions are destroyed, or on the thread that destroys them.
  void close_later() { closes_later_ = true; }

  // After this call, SQL can read only these files. The pattern of remote files stands for the
  // folder before its first special character.
  void restrict_to(const std::vector<std::string>& files);

  // After this call every stream() may work this long. A stream that takes longer ends with a
  // Failure of type DUCKDB_ERROR_INTERRUPT.
  void limit_seconds(double seconds) { seconds_ = seconds; }

  // After this call DuckDB uses at most this much memory. A statement that needs more ends with a
  // Failure of type DUCKDB_ERROR_OUT_OF_MEMORY.
  void limit_memory(std::size_t megabytes);

  void execute(const std::string& sql);
  std::vector<ResultColumn> describe(const std::string& select);

  // After this call, SQL runs on one thread. So in every run, sums of doubles are bitwise identical
  // and groups come in the same order.
  void use_one_thread_for_sql();

  // Runs an SQL SELECT and calls `consume` with chunk after chunk of its result, in row order. Each
  // chunk is freed when `consume` returns, so the whole result is never in memory.
  void stream(const std::string& select, const std::function<void(duckdb_data_chunk)>& consume);

  // Does the same, but several threads call `consume` at the same time. `first_row` is the row
  // number of the chunk's first row. If calls of `consume` throw, one of the exceptions is thrown.
  void stream_in_parallel(
      const std::string& select,
      const std::function<void(duckdb_data_chunk, std::size_t first_row)>& consume);

  // Returns the first row of an SQL SELECT, or nothing if the result has no rows. All columns of
  // the result must be VARCHAR.
  using TextRow = std::vector<std::optional<std::string>>;
  std::optional<TextRow> first_row(const std::string& select);

  duckdb_connection handle() const { return connection_; }
  int num_threads() const { return num_threads_; }

 private:
  int num_threads_;
  std::optional<double> seconds_;  // the limit of every stream, if there is one
  bool abandoned_ = false;         // true if a stream was not read to its end
  bool closes_later_ = false;      // see close_later()
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

std::string quoted_name(std::string_view name);      // returns a quoted name such as "a ""b"""
std::string quoted_literal(std::string_view value);  // returns a quoted text such as 'it''s'
std::string quoted_list(const std::vector<std::string>& values);

}  // namespace otss::internal::duck
