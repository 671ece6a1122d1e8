#include "data/table/postgres/server_table.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/interrupt.hpp"
#include "data/table/postgres/binary_value.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::postgres {
namespace {

// The object identifiers of the types in the catalogue pg_type. They never change.
ServerType type_of(Oid type) {
  switch (type) {
    case 16: return ServerType::kBoolean;
    case 21: return ServerType::kInt2;
    case 23: return ServerType::kInt4;
    case 20: return ServerType::kInt8;
    case 700: return ServerType::kFloat4;
    case 701: return ServerType::kFloat8;
    case 1700: return ServerType::kNumeric;
    case 1082: return ServerType::kDate;
    case 1114: return ServerType::kTimestamp;
    case 1184: return ServerType::kTimestampTz;
    case 1042: return ServerType::kPaddedText;
    case 18:  // "char"
    case 19:  // name
    case 25:  // text
    case 1043: return ServerType::kText;
    default: return ServerType::kOther;
  }
}

// If the modifier of a numeric type limits the number to 18 digits, makes the column a decimal one.
void use_decimals(int modifier, ServerColumn& column) {
  constexpr int kHeader = 4;
  if (modifier < kHeader) return;
  const int precision = (modifier - kHeader) >> 16;
  const int scale = (((modifier - kHeader) & 0x7FF) ^ 1024) - 1024;
  if (precision > 18 || scale < 0 || scale > precision) return;
  column.type = ServerType::kDecimal;
  column.scale = scale;
}

// Returns the query without the semicolon at its end, which must not stand inside parentheses.
std::string without_end(std::string query) {
  const std::size_t end = query.find_last_not_of("; \t\r\n");
  query.resize(end == std::string::npos ? 0 : end + 1);
  return query;
}

Address readable_address(const TableSource& source) {
  Address address = parse_address(source.path);
  if (!address.table.empty() || !source.query.empty()) return address;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("'{0}' names a database, but no table; write '{0}#table', or give --query "
                  "\"SELECT …\"",
                  address.name));
}

}  // namespace

ServerTable::ServerTable(const TableSource& source)
    : session_(readable_address(source)), query_(without_end(source.query)) {
  if (!query_.empty()) session_.limit_seconds(source.limits.seconds);
  try {
    begin();
    read_columns();
  } catch (const Failure& failure) {
    throw error_of(failure);
  }
}

void ServerTable::begin() {
  session_.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // Two scans must give the rows in the same order, and sums of doubles the same bits. So a scan
  // starts at the first page of a table, and one process of the server does the work.
  session_.execute("SET LOCAL synchronize_seqscans = off");
  session_.execute("SET LOCAL max_parallel_workers_per_gather = 0");
  // Without a limit, the command would wait forever for a table that it replaces itself.
  session_.execute("SET LOCAL lock_timeout = '60s'");
}

// Returns the SELECT for some columns. The line breaks end a comment at the end of the query.
std::string ServerTable::select(const std::string& columns) const {
  const Address& address = session_.address();
  if (query_.empty()) return fmt::format("SELECT {} FROM {}", columns, address.table_sql());
  const std::string table =
      address.table.empty() ? "" : fmt::format("WITH t AS (TABLE {}) ", address.table_sql());
  return fmt::format("{}SELECT {} FROM (\n{}\n) AS otss_query", table, columns, query_);
}

void ServerTable::read_columns() {
  const Libpq& pq = libpq();
  const Result described = session_.describe(select("*"));
  for (int i = 0; i < pq.PQnfields(described.get()); ++i) {
    const Oid type = pq.PQftype(described.get(), i);
    const int modifier = pq.PQfmod(described.get(), i);
    ServerColumn column{.name = pq.PQfname(described.get(), i), .type = type_of(type)};
    if (column.type == ServerType::kNumeric) use_decimals(modifier, column);
    if (column.type == ServerType::kOther) {
      const Result name = session_.execute("SELECT format_type($1::oid, $2::int)",
                                           {std::to_string(type), std::to_string(modifier)});
      column.type_name = pq.PQgetvalue(name.get(), 0, 0);
    }
    columns_.push_back(std::move(column));
  }
}

Error ServerTable::error_of(const Failure& failure) const {
  if (!query_.empty()) {
    return {ErrorCode::kUsage,
            fmt::format("--query on '{}': {}; correct the query", name(), failure.what())};
  }
  return {ErrorCode::kInput, fmt::format("'{}': {}; check the table, and that the user may read it",
                                         name(), failure.what())};
}

void ServerTable::begin_scan(const Scan* scan, const std::vector<std::size_t>& columns) {
  std::string list;
  for (const std::size_t index : columns) {
    const ServerColumn& column = columns_[index];
    if (column.type == ServerType::kOther) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("'{0}': column '{1}' has the type {2}, which cannot be read; cast it, "
                      "for example with --query \"SELECT {3}::text AS {3}, … FROM …\", or "
                      "leave the column out",
                      name(), column.name, column.type_name, quoted_identifier(column.name)));
    }
    list += (list.empty() ? "" : ", ") + quoted_identifier(column.name);
  }
  end_scan();
  // After an error in a scan, the transaction can continue from the savepoint.
  session_.execute(std::exchange(has_savepoint_, true) ? "ROLLBACK TO SAVEPOINT otss_scan"
                                                       : "SAVEPOINT otss_scan");
  session_.begin_copy_out(fmt::format("COPY ({}) TO STDOUT (FORMAT binary)", select(list)));
  active_ = scan;
}

// Ends the active scan, if there is one.
void ServerTable::end_scan() {
  if (active_ == nullptr) return;
  active_ = nullptr;
  session_.abandon_copy();
}

ServerTable::Scan::Scan(std::shared_ptr<ServerTable> table, const std::vector<std::size_t>& columns)
    : table_(std::move(table)),
      cancellation_(current_cancellation()),
      num_columns_(columns.size()) {
  const Turn turn(*this);
  try {
    table_->begin_scan(this, columns);
  } catch (const Failure& failure) {
    throw table_->error_of(failure);
  }
}

ServerTable::Scan::~Scan() {
  try {
    const Turn turn(*this);
    if (table_->active_ == this) table_->end_scan();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next scan reports it
  }
}

ServerTable::Scan::Turn::Turn(Scan& scan)
    : lock_(scan.table_->mutex_), scope_(scan.cancellation_) {}

// Returns the next message without the header that stands before the first row.
std::string_view ServerTable::Scan::next_message() {
  constexpr std::string_view kSignature("PGCOPY\n\xFF\r\n\0", 11);
  constexpr std::size_t kHeader = 19;
  std::string_view message = table_->session_.next_copied();
  if (num_rows_ == 0 && message.starts_with(kSignature) && message.size() >= kHeader) {
    message.remove_prefix(kHeader);
    if (message.empty()) message = table_->session_.next_copied();
  }
  return message;
}

// Returns false if the message is not a row.
bool ServerTable::Scan::split(std::string_view row, std::vector<std::string_view>& fields) {
  fields.resize(static_cast<std::size_t>(load<std::int16_t>(row)));
  row.remove_prefix(sizeof(std::int16_t));
  for (std::string_view& field : fields) {
    if (row.size() < sizeof(std::int32_t)) return false;
    const auto size = load<std::int32_t>(row);
    row.remove_prefix(sizeof(size));
    field = {};
    if (size < 0) continue;
    if (row.size() < static_cast<std::size_t>(size)) return false;
    field = row.substr(0, static_cast<std::size_t>(size));
    row.remove_prefix(field.size());
  }
  return true;
}

bool ServerTable::Scan::next(std::vector<std::string_view>& fields) try {
  if (table_->active_ != this) return false;
  const std::string_view message = next_message();
  const bool has_count = message.size() >= sizeof(std::int16_t);
  if (has_count && load<std::int16_t>(message) < 0) {  // the end of the rows
    while (!table_->session_.next_copied().empty()) {
    }
    table_->active_ = nullptr;
    return false;
  }
  if (!has_count || !split(message, fields) || fields.size() != num_columns_) {
    throw Error(ErrorCode::kIo,
                fmt::format("'{}' sends row {} in an unknown form; run the command again",
                            table_->name(), num_rows_ + 1));
  }
  ++num_rows_;
  return true;
} catch (const Failure& failure) {
  table_->active_ = nullptr;
  throw table_->error_of(failure);
}

void ServerTable::keep_exception() {
  const std::lock_guard lock(exception_mutex_);
  if (!exception_) exception_ = std::current_exception();
}

void ServerTable::rethrow() {
  std::exception_ptr kept;
  {
    const std::lock_guard lock(exception_mutex_);
    kept = std::exchange(exception_, nullptr);
  }
  if (kept) std::rethrow_exception(kept);
}

}  // namespace otss::internal::postgres
