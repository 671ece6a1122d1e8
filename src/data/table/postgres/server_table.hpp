// A ServerTable is a table, or the result of a query, of a PostgreSQL server.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/postgres/session.hpp"
#include "otss/base/cancellation.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::postgres {

// The types whose values can be read.
enum class ServerType {
  kBoolean,
  kInt2,
  kInt4,
  kInt8,
  kFloat4,
  kFloat8,
  kDecimal,  // numeric(p, s) with at most 18 digits
  kNumeric,  // numeric with more digits, or without a limit
  kDate,
  kTimestamp,
  kTimestampTz,
  kText,
  kPaddedText,  // char(n): the server fills the text up with spaces, which mean nothing
  kOther,       // a type that is refused when the column is read
};

struct ServerColumn {
  std::string name;
  ServerType type = ServerType::kOther;
  int scale = 0;          // for kDecimal, the number of digits after the decimal point
  std::string type_name;  // for kOther, the type as the server calls it
};

class ServerTable {
 public:
  // Connects to the server and asks for the columns. The table is read in one read-only transaction,
  // so every scan sees the same rows.
  explicit ServerTable(const TableSource& source);

  const std::string& name() const { return session_.address().name; }  // the address for messages
  const std::vector<ServerColumn>& columns() const { return columns_; }

  // Reads some columns of all rows. The rows come in the order in which the server sends them. Only
  // one scan can be active: a new scan ends the one before it.
  class Scan {
   public:
    // `columns` are indices of ServerTable::columns.
    Scan(std::shared_ptr<ServerTable> table, const std::vector<std::size_t>& columns);
    ~Scan();
    Scan(const Scan&) = delete;
    Scan& operator=(const Scan&) = delete;

    // While a Turn exists, no other scan can begin, so next() may be called.
    class Turn {
     public:
      explicit Turn(Scan& scan);

     private:
      std::lock_guard<std::mutex> lock_;
      Cancellation::Scope scope_;
    };

    // Sets `fields` to the values of the next row; a missing value has data() == nullptr. The values
    // are valid until the next call. Returns false after the last row.
    bool next(std::vector<std::string_view>& fields);
    std::size_t num_rows() const { return num_rows_; }  // the number of rows read so far
    const ServerTable& table() const { return *table_; }

   private:
    std::string_view next_message();
    static bool split(std::string_view row, std::vector<std::string_view>& fields);

    std::shared_ptr<ServerTable> table_;
    const Cancellation* cancellation_;  // that of the thread that made the scan
    std::size_t num_columns_;
    std::size_t num_rows_ = 0;
  };

  // Keeps the current exception for rethrow(). Exceptions cannot pass through DuckDB.
  void keep_exception();
  // Throws the exception that was kept, if there is one.
  void rethrow();
  // Makes all scans end with an error, also those of other threads.
  void close() { session_.close(); }

 private:
  std::string select(const std::string& columns) const;
  void begin();
  void read_columns();
  void begin_scan(const Scan* scan, const std::vector<std::size_t>& columns);
  void end_scan();
  Error error_of(const Failure& failure) const;

  Session session_;
  std::string query_;  // the user's query, if there is one
  std::vector<ServerColumn> columns_;
  std::mutex mutex_;              // protects the members below, and the session during a scan
  const Scan* active_ = nullptr;  // the scan that is not finished
  bool has_savepoint_ = false;
  std::mutex exception_mutex_;
  std::exception_ptr exception_;
};

}  // namespace otss::internal::postgres
