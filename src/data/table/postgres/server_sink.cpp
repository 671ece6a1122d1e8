#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "data/table/postgres/binary_value.hpp"
#include "data/table/postgres/session.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

using postgres::append_integer;
using postgres::quoted_identifier;

// Returns the type of PostgreSQL for a type of DuckDB. Empty for a type without a counterpart.
std::string server_type(const std::string& stored_as) {
  struct Pair {
    const char* duckdb;
    const char* server;
  };
  constexpr std::array<Pair, 19> kTypes{{{"BOOLEAN", "boolean"},
                                         {"TINYINT", "smallint"},
                                         {"UTINYINT", "smallint"},
                                         {"SMALLINT", "smallint"},
                                         {"USMALLINT", "integer"},
                                         {"INTEGER", "integer"},
                                         {"UINTEGER", "bigint"},
                                         {"BIGINT", "bigint"},
                                         {"UBIGINT", "numeric"},
                                         {"HUGEINT", "numeric"},
                                         {"UHUGEINT", "numeric"},
                                         {"FLOAT", "real"},
                                         {"DOUBLE", "double precision"},
                                         {"DATE", "date"},
                                         {"TIMESTAMP", "timestamp"},
                                         {"TIMESTAMP_S", "timestamp"},
                                         {"TIMESTAMP_MS", "timestamp"},
                                         {"TIMESTAMP_NS", "timestamp"},
                                         {"TIMESTAMP WITH TIME ZONE", "timestamptz"}}};
  for (const Pair& type : kTypes) {
    if (stored_as == type.duckdb) return type.server;
  }
  constexpr std::string_view kDecimal = "DECIMAL";
  return stored_as.starts_with(kDecimal) ? "numeric" + stored_as.substr(kDecimal.size()) : "";
}

void append_binary_text(std::string& bytes, std::string_view text) {
  if (text.data() == nullptr) return append_integer(bytes, std::int32_t{-1});
  append_integer(bytes, static_cast<std::int32_t>(text.size()));
  bytes += text;
}

void append_binary_number(std::string& bytes, double number, bool is_count) {
  if (std::isnan(number)) return append_integer(bytes, std::int32_t{-1});
  append_integer(bytes, std::int32_t{8});
  append_integer(
      bytes, is_count ? static_cast<std::int64_t>(number) : std::bit_cast<std::int64_t>(number));
}

// Rows in the binary format of COPY.
class ServerFormat final : public RowFormat {
 public:
  explicit ServerFormat(const std::vector<ColumnInfo>& columns) : columns_(columns) {}

  std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const override {
    auto rows = std::make_shared<RowBytes>();
    for (std::size_t row = 0; row < chunk.num_rows; ++row) {
      append_integer(rows->bytes, static_cast<std::int16_t>(chunk.columns.size()));
      for (std::size_t i = 0; i < chunk.columns.size(); ++i) {
        const ColumnChunk& column = chunk.columns[i];
        if (column.kind == ColumnKind::kText) {
          append_binary_text(rows->bytes, column.texts[row]);
        } else {
          append_binary_number(rows->bytes, column.numbers[row], columns_[i].is_count);
        }
      }
    }
    return rows;
  }

 private:
  std::vector<ColumnInfo> columns_;
};

// Writes the rows to a table of a PostgreSQL database, in one transaction.
class ServerSink final : public TableSink {
 public:
  ServerSink(const postgres::Address& address, const std::vector<ColumnInfo>& columns,
             ExistingTable existing)
      : columns_(columns), session_(address), target_(address), written_(address) {
    check_names();
    explaining([&] {
      session_.execute("BEGIN");
      session_.execute("SET LOCAL lock_timeout = '60s'");
      replaces_ = exists();
      if (replaces_ && existing == ExistingTable::kRefuse) throw already_exists();
      // The old table stays as it is until the end, so that others can read it meanwhile.
      if (replaces_) written_.table = fmt::format("otss_new_{}", getpid());
      create_table();
    });
    std::string header("PGCOPY\n\xFF\r\n\0", 11);
    append_integer(header, std::int32_t{0});  // flags
    append_integer(header, std::int32_t{0});  // length of the extension of the header
    send(header);
  }

  void write(const std::shared_ptr<const FormattedRows>& rows) override { send(bytes_of(rows)); }

  void commit() override {
    std::string end;
    append_integer(end, std::int16_t{-1});
    send(end);
    explaining([&] {
      session_.end_copy_in();
      for (const ColumnInfo& column : columns_) restore_type(column);
      if (replaces_) {
        session_.execute(fmt::format("DROP TABLE {}", target_.table_sql()));
        session_.execute(fmt::format("ALTER TABLE {} RENAME TO {}", written_.table_sql(),
                                     quoted_identifier(target_.table)));
      }
      session_.execute("COMMIT");
    });
  }

 private:
  void check_names() const {
    constexpr std::size_t kLongest = 63;  // PostgreSQL would cut longer names off
    if (target_.table.empty()) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("-o '{0}' names no table; write '{0}#table'", target_.name));
    }
    for (const ColumnInfo& column : columns_) {
      if (column.name.size() <= kLongest) continue;
      throw Error(ErrorCode::kInput,
                  fmt::format("-o '{}': the name of column '{}' has more than {} bytes, which "
                              "PostgreSQL does not allow; write a file, or rename the column",
                              target_.name, column.name, kLongest));
    }
  }

  bool exists() {
    const postgres::Result found =
        session_.execute("SELECT to_regclass($1) IS NOT NULL", {target_.table_sql()});
    return std::string_view(postgres::libpq().PQgetvalue(found.get(), 0, 0)) == "t";
  }

  Error already_exists() const {
    return {ErrorCode::kUsage,
            fmt::format("-o '{}': this table exists already; give --replace to replace it, or "
                        "another table",
                        target_.name)};
  }

  // A kept column is written as text. Its type is restored after the last row, when it is known
  // whether all texts can be converted.
  void create_table() {
    std::string list;
    for (const ColumnInfo& column : columns_) {
      const char* type = column.kind == ColumnKind::kText ? "text"
                         : column.is_count                ? "bigint"
                                                          : "double precision";
      list +=
          fmt::format("{}{} {}", list.empty() ? "" : ", ", quoted_identifier(column.name), type);
    }
    session_.execute(fmt::format("CREATE TABLE {} ({})", written_.table_sql(), list));
    session_.begin_copy_in(fmt::format("COPY {} FROM STDIN (FORMAT binary)", written_.table_sql()));
  }

  // Converts a column of texts to the type that it has in its source. The column stays text if some
  // text cannot be converted, or would be changed by the conversion.
  void restore_type(const ColumnInfo& column) {
    const std::string type = server_type(column.stored_as);
    if (column.kind != ColumnKind::kText || type.empty()) return;
    const std::string name = quoted_identifier(column.name);
    session_.execute("SAVEPOINT otss_type");
    try {
      // A text such as 007 would lose its zeros as a whole number.
      if (column.type == ValueType::kWholeNumber) {
        const postgres::Result lost =
            session_.execute(fmt::format("SELECT FROM {0} WHERE {1}::{2}::text <> {1} LIMIT 1",
                                         written_.table_sql(), name, type));
        if (postgres::libpq().PQntuples(lost.get()) > 0) return;
      }
      session_.execute(fmt::format("ALTER TABLE {0} ALTER COLUMN {1} TYPE {2} USING {1}::{2}",
                                   written_.table_sql(), name, type));
    } catch (const postgres::Failure&) {
      session_.execute("ROLLBACK TO SAVEPOINT otss_type");
    }
  }

  void send(std::string_view bytes) {
    // One message of the protocol holds less than 1 GB.
    constexpr std::size_t kMessage = std::size_t{1} << 20U;
    explaining([&] {
      for (; !bytes.empty(); bytes.remove_prefix(std::min(kMessage, bytes.size())))
        session_.send_copied(bytes.substr(0, kMessage));
    });
  }

  // Calls `work`. If the server refuses something, throws an Error that says what to do.
  template <class Work>
  void explaining(Work work) const {
    try {
      work();
    } catch (const postgres::Failure& failure) {
      throw Error(ErrorCode::kIo,
                  fmt::format("cannot write '{}': {}; check that the user may create this table, "
                              "or write to another one",
                              target_.name, failure.what()));
    }
  }

  std::vector<ColumnInfo> columns_;
  postgres::Session session_;
  postgres::Address target_;   // the table that the user named
  postgres::Address written_;  // the table that gets the rows
  bool replaces_ = false;      // true if `target_` exists, and `written_` will take its place
};

}  // namespace

std::unique_ptr<RowFormat> make_server_format(const std::vector<ColumnInfo>& columns) {
  return std::make_unique<ServerFormat>(columns);
}

std::unique_ptr<TableSink> make_server_sink(const std::string& address,
                                            const std::vector<ColumnInfo>& columns,
                                            ExistingTable existing) {
  return std::make_unique<ServerSink>(postgres::parse_address(address), columns, existing);
}

}  // namespace otss::internal
