#include <fmt/core.h>

#include <algorithm>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "data/table/columns.hpp"
#include "data/table/duckdb/chunk_view.hpp"
#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/csv_types.hpp"
#include "data/table/duckdb/missing_words.hpp"
#include "data/table/duckdb/number_cells.hpp"
#include "data/table/duckdb/readable_column.hpp"
#include "data/table/duckdb/row_place.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "data/table/duckdb/source_relation.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

using duck::Failure;
using duck::Format;
using duck::ReadableColumn;
using duck::Sample;

std::string without_semicolon(std::string query) {
  while (!query.empty() &&
         (query.back() == ';' || std::isspace(static_cast<unsigned char>(query.back())) != 0)) {
    query.pop_back();
  }
  return query;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

struct TableReader::Impl {
  TableSource asked;
  duck::SourceFiles source;
  std::string query;
  duck::Connection connection;
  std::string relation;  // the part of an SQL query that follows FROM
  std::vector<ColumnInfo> columns;
  std::vector<ReadableColumn> readable;  // the SQL expressions of each column
  std::vector<std::string> csv_names;
  // True if a column whose first rows are numbers turned out to have text in a later row.
  bool text_came_late = false;

  explicit Impl(const TableSource& table)
      : asked(table),
        source(duck::find_source_files(asked.path)),
        query(without_semicolon(asked.query)),
        connection(asked.threads == 0 ? hardware_threads() : asked.threads) {
    asked.rules.validate();
    try {
      if (!query.empty()) {
        connection.use_one_thread_for_sql();
        connection.limit_memory(asked.limits.megabytes);
        connection.limit_seconds(asked.limits.seconds);
      }
      connection.restrict_to(source.files);
      if (source.format == Format::kCsv) {
        open_csv();
      } else {
        open_typed(duck::typed_relation(source));
      }
    } catch (const Failure& failure) {
      const bool is_over_limit =
          failure.type() == DUCKDB_ERROR_INTERRUPT || failure.type() == DUCKDB_ERROR_OUT_OF_MEMORY;
      throw !query.empty() && is_over_limit ? query_error(failure) : unreadable(failure, source);
    }
    if (!query.empty()) apply_query();
  }

  void open_csv() {
    duck::register_missing_words(connection, asked.rules);
    duck::register_number_cells(connection, &asked.rules);
    const auto header = duck::read_csv_headers(connection, source);
    csv_names = header.names;
    relation = csv_relation(source, header);
    // A user's query may do anything with a column, so the type of a column must fit all rows.
    // Without a query, the types of the first rows are enough: if a later row does not fit, the
    // table is read again.
    judge_csv_columns(query.empty() ? Sample::kFirstRows : Sample::kAllRows);
  }

  void judge_csv_columns(Sample sample) {
    const auto types = infer_csv_types(connection, relation, csv_names, asked.rules, sample);
    if (types.empty()) throw no_rows();
    columns.clear();
    readable.clear();
    std::string typed;
    for (std::size_t i = 0; i < csv_names.size(); ++i) {
      readable.push_back(duck::readable_csv_column(csv_names[i], types[i]));
      columns.push_back({csv_names[i], readable.back().kind, false, readable.back().type});
      const std::string& value = types[i] == "VARCHAR" ? readable[i].as_text : readable[i].value;
      typed += fmt::format("{}CAST({} AS {}) AS {}", i == 0 ? "" : ", ", value,
                           types[i] == duck::kNoValues ? "DOUBLE" : types[i],
                           duck::quoted_name(csv_names[i]));
    }
    if (!query.empty())
      connection.execute(fmt::format("CREATE VIEW t AS SELECT {} FROM {}", typed, relation));
  }

  void open_typed(const std::string& call) {
    duck::register_number_cells(connection, nullptr);
    use_relation(call);
    if (!connection.first_row(fmt::format("SELECT 'a row' FROM {} LIMIT 1", relation)))
      throw no_rows();
    if (!query.empty())
      connection.execute(fmt::format("CREATE VIEW t AS SELECT * FROM {}", relation));
  }

  void use_relation(const std::string& sql) {
    relation = sql;
    columns.clear();
    readable.clear();
    for (const auto& column : connection.describe(fmt::format("SELECT * FROM {}", relation))) {
      readable.push_back(duck::readable_column(column.name, column.type));
      columns.push_back({column.name, readable.back().kind, false, readable.back().type});
    }
  }

  void apply_query() {
    try {
      // The query may end with an SQL comment. The line break ends this comment.
      use_relation(fmt::format("(\n{}\n)", query));
    } catch (const Failure& failure) {
      throw query_error(failure);
    }
  }

  Error no_rows() const {
    const std::string what = query.empty() ? "" : " that --query keeps";
    return {ErrorCode::kInput,
            fmt::format("'{}' has no rows{}; give at least one row", source.name, what)};
  }

  // The user's error behind a failure while rows are read.
  Error reading_error(const Failure& failure) const {
    return query.empty() ? unreadable(failure, source) : query_error(failure);
  }

  Error query_error(const Failure& failure) const {
    if (failure.type() == DUCKDB_ERROR_PERMISSION) {
      return {ErrorCode::kUsage,
              fmt::format("--query may read only the table t, which is '{}', so write FROM t: {}",
                          source.name, failure.one_line())};
    }
    if (failure.type() == DUCKDB_ERROR_INTERRUPT) {
      return {ErrorCode::kFailed,
              fmt::format("--query on '{}' takes longer than {} seconds; simplify the query, or "
                          "raise the limit with --query-seconds",
                          source.name, asked.limits.seconds)};
    }
    if (failure.type() == DUCKDB_ERROR_OUT_OF_MEMORY) return too_large("needs");
    // DuckDB suggests its own system tables instead of a table that does not exist.
    const std::string reason = failure.one_line();
    if (const auto end = reason.find(" does not exist! "); end != std::string::npos) {
      return {ErrorCode::kUsage, fmt::format("--query on '{}': {} does not exist; the table is "
                                             "called t",
                                             source.name, reason.substr(0, end))};
    }
    return {ErrorCode::kUsage, fmt::format("--query on '{}': {}", source.name, reason)};
  }

  Error too_large(const char* needs_or_returns) const {
    return {
        ErrorCode::kFailed,
        fmt::format("--query on '{}' {} more than {} MB; simplify the query, or raise the limit "
                    "with --query-memory",
                    source.name, needs_or_returns, asked.limits.megabytes)};
  }

  // Counts the bytes of a query's result. The database does not keep the result in its own memory,
  // but the program often does.
  void check_size_of_result(const TableChunk& chunk) const {
    const std::size_t rows = chunk.first_row + chunk.num_rows;
    if (rows * chunk.columns.size() * sizeof(double) > asked.limits.megabytes << 20U)
      throw too_large("returns");
  }

  // Throws an Error if some value of the column is not a number.
  void check_numbers(std::size_t index) {
    const ReadableColumn& column = readable[index];
    const auto bad = connection.first_row(
        fmt::format("SELECT CAST(row AS VARCHAR), value FROM (SELECT row_number() OVER () AS row, "
                    "CAST({} AS VARCHAR) AS value, "
                    "{} AS number FROM {}) WHERE value IS NOT NULL AND number IS NULL LIMIT 1",
                    column.value, column.try_number, relation));
    if (!bad) return;
    throw Error(ErrorCode::kInput,
                fmt::format("'{}': column '{}' is '{}' in {}; this value is not a number; correct "
                            "the value, or leave "
                            "the column out",
                            source.name, columns[index].name, (*bad)[1].value(),
                            place_of_row(asked, std::stoull((*bad)[0].value()) - 1)));
  }

  std::size_t index_of(std::string_view name) const {
    return static_cast<std::size_t>(&require_column(columns, name, "", source.name) -
                                    columns.data());
  }

  void read(const std::vector<ColumnRequest>& requests,
            const std::function<void(const TableChunk&)>& consume) {
    std::string select;
    std::vector<ColumnKind> kinds;
    std::vector<std::size_t> numbers;
    for (const ColumnRequest& request : requests) {
      const std::size_t index = index_of(request.name);
      if (!request.as_text) numbers.push_back(index);
      kinds.push_back(request.as_text ? ColumnKind::kText : ColumnKind::kNumber);
      select += select.empty() ? "" : ", ";
      select += request.as_text ? readable[index].as_text : readable[index].as_number;
    }
    for (const std::size_t index : numbers) {
      if (readable[index].kind == ColumnKind::kText) check_numbers(index);
    }
    // If no column is requested, the caller needs only the number of rows.
    if (select.empty()) select = "NULL";
    stream(fmt::format("SELECT {} FROM {}", select, relation), kinds, numbers, consume);
  }

  void stream(const std::string& select, const std::vector<ColumnKind>& kinds,
              const std::vector<std::size_t>& numbers,
              const std::function<void(const TableChunk&)>& consume) {
    duck::ChunkView view(kinds);
    try {
      connection.stream(select, [&](duckdb_data_chunk chunk) {
        check_interrupt();
        const TableChunk& rows = view.view(chunk);
        if (!query.empty()) check_size_of_result(rows);
        consume(rows);
      });
    } catch (const Failure& failure) {
      if (query.empty() &&
          (failure.type() == DUCKDB_ERROR_CONVERSION || duck::is_not_a_number(failure))) {
        text_came_late = true;
        for (const std::size_t index : numbers) check_numbers(index);
      }
      throw;
    }
    if (view.rows_seen() == 0) throw no_rows();
  }

  bool settle_kinds() {
    if (!text_came_late) return false;
    text_came_late = false;
    const auto before = readable;
    judge_csv_columns(Sample::kAllRows);
    return !std::equal(before.begin(), before.end(), readable.begin(),
                       [](const auto& a, const auto& b) { return a.kind == b.kind; });
  }
};

TableReader::TableReader(const TableSource& source) : impl_(std::make_unique<Impl>(source)) {}
TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

const std::string& TableReader::name() const { return impl_->source.name; }

const std::vector<ColumnInfo>& TableReader::columns() const { return impl_->columns; }

bool TableReader::has_column(std::string_view name) const {
  return find_column(impl_->columns, name) != nullptr;
}

const ColumnInfo& TableReader::column(std::string_view name, std::string_view role) const {
  return require_column(impl_->columns, name, role, impl_->source.name);
}

void TableReader::read(const std::vector<ColumnRequest>& columns,
                       const std::function<void(const TableChunk&)>& consume) const {
  try {
    impl_->read(columns, consume);
  } catch (const Failure& failure) {
    throw impl_->reading_error(failure);
  }
}

bool TableReader::settle_kinds() {
  try {
    return impl_->settle_kinds();
  } catch (const Failure& failure) {
    throw impl_->reading_error(failure);
  }
}

}  // namespace otss
