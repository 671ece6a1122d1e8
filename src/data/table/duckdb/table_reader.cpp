#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "data/table/columns.hpp"
#include "data/table/duckdb/cell_functions.hpp"
#include "data/table/duckdb/chunk_taker.hpp"
#include "data/table/duckdb/chunk_view.hpp"
#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/csv_notes.hpp"
#include "data/table/duckdb/csv_types.hpp"
#include "data/table/duckdb/made_columns.hpp"
#include "data/table/duckdb/query_error.hpp"
#include "data/table/duckdb/readable_column.hpp"
#include "data/table/duckdb/relations/memory_relation.hpp"
#include "data/table/duckdb/relations/server_relation.hpp"
#include "data/table/duckdb/shares/row_selection.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "data/table/duckdb/source_relation.hpp"
#include "data/table/parallel/chunk_helpers.hpp"
#include "data/table/parallel/row_order.hpp"
#include "data/table/row_place.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

using duck::Failure;
using duck::Format;
using duck::ReadableColumn;
using duck::Sample;

// A requested column whose values must be converted. The conversion of a value may fail.
struct Conversion {
  std::size_t column;
  bool may_be_missing;  // see ColumnRequest
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

struct TableReader::Impl {
  TableSource asked;
  // The rules by which the table is read: the rules in `asked`, completed by what the values show.
  // The SQL functions use the same object.
  std::shared_ptr<ReadingRules> rules;
  duck::SourceFiles source;
  std::string query;
  duck::Connection connection;
  std::string relation;             // the part of an SQL query that follows FROM
  duck::RowSelection selection;     // the rows of the relation that are read
  std::vector<ReadableColumn> own;  // the columns of the relation
  // The columns of the relation, and then the columns that the rules make from them.
  std::vector<ReadableColumn> readable;
  std::vector<ColumnInfo> columns;  // one entry per readable column
  duck::CsvHeader header;
  std::vector<duck::CsvColumn> csv_columns;
  std::optional<duck::ChunkTaker> taker;          // made when it is first needed
  std::shared_ptr<postgres::ServerTable> server;  // null if the table is not on a server
  // True if a column whose first rows are numbers turned out to have text in a later row.
  bool text_came_late = false;

  explicit Impl(const TableSource& table)
      : asked(table),
        rules(std::make_shared<ReadingRules>(table.rules)),
        source(duck::find_source(asked)),
        query(duck::local_query(asked)),
        connection(asked.threads == 0 ? hardware_threads() : asked.threads) {
    rules->validate();
    // The functions of a table in memory refer to the user's data, which may be freed after reading;
    // those of a table on a server hold a session that should end with the reader.
    if (source.format != Format::kMemory && source.format != Format::kServer)
      connection.close_later();
    try {
      duck::register_cell_functions(
          connection, rules,
          source.format == Format::kCsv ? duck::MissingWords::kOfCsv : duck::MissingWords::kGiven);
      if (!query.empty()) {
        connection.use_one_thread_for_sql();
        connection.limit_memory(asked.limits.megabytes);
        connection.limit_seconds(asked.limits.seconds);
      }
      if (source.is_remote) enable_remote_files(connection, source);
      connection.restrict_to(source.files);
      if (source.format == Format::kCsv) {
        open_csv();
      } else if (source.format == Format::kMemory) {
        if (asked.memory->num_rows == 0) throw no_rows();
        open_typed(duck::memory_relation(connection, asked.memory));
      } else if (source.format == Format::kServer) {
        server = std::make_shared<postgres::ServerTable>(asked);
        use_relation(duck::server_relation(connection, server));
      } else {
        open_typed(typed_relation(source));
      }
    } catch (const Failure& failure) {
      const bool is_over_limit =
          failure.type() == DUCKDB_ERROR_INTERRUPT || failure.type() == DUCKDB_ERROR_OUT_OF_MEMORY;
      throw !query.empty() && is_over_limit ? query_error(failure)
                                            : unreadable(failure, source, header);
    }
    if (!query.empty()) apply_query();
  }

  ~Impl() {
    if (server) server->close();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void open_csv() {
    header = duck::read_csv_headers(connection, source);
    relation = csv_relation(source.files, header);
    selection.select_all(relation);
    // A user's query may do anything with a column, so the type of a column must fit all rows.
    // Without a query, the types of the first rows are enough: if a later row does not fit, the
    // table is read again.
    judge_csv_columns(query.empty() ? Sample::kFirstRows : Sample::kAllRows);
  }

  void judge_csv_columns(Sample sample) {
    auto inferred = infer_csv(connection, relation, header, asked.rules, sample);
    if (inferred.columns.empty()) throw no_rows();
    csv_columns = std::move(inferred.columns);
    *rules = inferred.rules;
    std::vector<ReadableColumn> from_file;
    std::string typed;
    for (const duck::CsvColumn& column : csv_columns) {
      const ReadableColumn& read_as =
          from_file.emplace_back(duck::readable_csv_column(column, *rules));
      const std::string& value = column.type == "VARCHAR" ? read_as.as_text : read_as.value;
      typed += fmt::format("{}CAST({} AS {}) AS {}", typed.empty() ? "" : ", ", value,
                           column.type == duck::kNoValues ? "DOUBLE" : column.type,
                           duck::quoted_name(column.name));
    }
    if (!query.empty())
      connection.execute(fmt::format("CREATE VIEW t AS SELECT {} FROM {}", typed, relation));
    use_columns(std::move(from_file));
  }

  void open_typed(const std::string& call) {
    use_relation(call);
    if (!connection.first_row(fmt::format("SELECT 'a row' FROM {} LIMIT 1", relation)))
      throw no_rows();
    if (!query.empty())
      connection.execute(fmt::format("CREATE VIEW t AS SELECT * FROM {}", relation));
  }

  void use_relation(const std::string& sql) {
    relation = sql;
    selection.select_all(relation);
    std::vector<ReadableColumn> from_relation;
    for (const auto& column : connection.describe(fmt::format("SELECT * FROM {}", relation)))
      from_relation.push_back(duck::readable_column(column, *rules));
    use_columns(std::move(from_relation));
  }

  // Sets the columns to those of the relation and the ones that the rules make from them.
  void use_columns(std::vector<ReadableColumn> from_relation) {
    own = std::move(from_relation);
    add_made_columns();
  }

  void add_made_columns() {
    readable = own;
    duck::add_made_columns(*rules, readable);
    columns.clear();
    for (const ReadableColumn& column : readable) columns.push_back(column.info);
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
    const std::string what = asked.query.empty() ? "" : " that --query keeps";
    return {ErrorCode::kInput,
            fmt::format("'{}' has no rows{}; give at least one row", source.name, what)};
  }

  Error query_error(const Failure& failure) const {
    return duck::query_error(failure, source, asked.limits);
  }

  // Returns the error that tells the user why reading rows failed, or throws the error with which
  // reading from a server failed.
  Error reading_error(const Failure& failure) const {
    if (server) server->rethrow();
    return query.empty() ? unreadable(failure, source, header) : query_error(failure);
  }

  // Calls `work`, which reads. If DuckDB fails, throws the Error for the user.
  template <class Work>
  auto explaining(Work work) const {
    try {
      return work();
    } catch (const Failure& failure) {
      throw reading_error(failure);
    }
  }

  // Throws an Error if the result of a query is larger than the limit. The memory limit of the
  // database does not include the result, but the program often keeps the result in memory.
  void check_size_of_result(const TableChunk& chunk) const {
    const std::size_t rows = chunk.first_row + chunk.num_rows;
    if (rows * chunk.columns.size() * sizeof(double) > asked.limits.megabytes << 20U)
      throw duck::result_too_large(source, asked.limits);
  }

  // Throws an Error if some value of the column is not a number.
  void check_numbers(const Conversion& conversion) {
    const std::size_t index = conversion.column;
    const ReadableColumn& column = readable[index];
    const std::string& shown =
        column.info.made_from.empty() ? column.as_text : readable[source_index(index)].as_text;
    const auto bad = connection.first_row(fmt::format(
        "SELECT CAST(row AS VARCHAR), shown FROM (SELECT row_number() OVER () AS row, {} AS shown, "
        "CAST({} AS VARCHAR) AS value, {} AS number FROM {}) WHERE value IS NOT NULL AND number IS "
        "NULL LIMIT 1",
        shown, column.value, column.try_number, selection.relation()));
    if (!bad) return;
    const std::string value = (*bad)[1].value();
    const std::size_t row = selection.first_row() + std::stoull((*bad)[0].value()) - 1;
    throw Error(
        ErrorCode::kInput,
        fmt::format("'{}': column '{}' is '{}' in {}; {}", source.name,
                    columns[source_index(index)].name, value, place_of_row(asked, row),
                    column.problem.empty() ? duck::not_a_number(value, conversion.may_be_missing,
                                                                source.format, *rules)
                                           : column.problem));
  }

  // Returns the index of the column from which a column is made. For a column of the file, this is
  // the column itself.
  std::size_t source_index(std::size_t index) const {
    const std::string& from = columns[index].made_from;
    return from.empty() ? index : index_of(from);
  }

  std::size_t index_of(std::string_view name) const {
    return static_cast<std::size_t>(&require_column(columns, name, "", source.name) -
                                    columns.data());
  }

  // The SQL of requested columns.
  struct Selection {
    std::string list;                 // the expressions, separated by commas
    std::vector<ColumnKind> kinds;    // one entry per column
    std::vector<Conversion> numbers;  // the columns whose values are converted to numbers
  };

  Selection select(const std::vector<ColumnRequest>& requests) {
    Selection selected;
    for (const ColumnRequest& request : requests) {
      const std::size_t index = index_of(request.name);
      if (!request.as_text || !columns[index].made_from.empty())
        selected.numbers.push_back({index, request.may_be_missing});
      selected.kinds.push_back(request.as_text ? ColumnKind::kText : ColumnKind::kNumber);
      selected.list += selected.list.empty() ? "" : ", ";
      selected.list +=
          request.as_text ? text_sql(readable[index], request.form) : readable[index].as_number;
    }
    for (const Conversion& number : selected.numbers) {
      const ColumnInfo& column = columns[number.column];
      if (column.kind == ColumnKind::kText && column.made_from.empty()) check_numbers(number);
    }
    // If no column is requested, the caller needs only the number of rows.
    if (selected.list.empty()) selected.list = "NULL";
    return selected;
  }

  std::string select_sql(const Selection& selected) const {
    return fmt::format("SELECT {} FROM {}", selected.list, selection.relation());
  }

  // Calls `pass`, which reads the selected columns. If a value cannot be converted to a number,
  // throws an Error that names the value.
  template <class Pass>
  void explaining_failures(const Selection& selected, Pass pass) {
    try {
      pass();
    } catch (const Failure& failure) {
      if (failure.type() == DUCKDB_ERROR_CONVERSION || duck::is_not_a_number(failure)) {
        text_came_late = query.empty() && source.format == Format::kCsv;
        for (const Conversion& number : selected.numbers) check_numbers(number);
      }
      throw;
    }
  }

  void check_chunk(const TableChunk& chunk) const {
    check_interrupt();
    if (!query.empty()) check_size_of_result(chunk);
  }

  void read(const std::vector<ColumnRequest>& requests,
            const std::function<void(const TableChunk&)>& consume) {
    const Selection selected = select(requests);
    duck::ChunkView view(selected.kinds);
    explaining_failures(selected, [&] {
      connection.stream(select_sql(selected), [&](duckdb_data_chunk chunk) {
        const TableChunk rows = selection.within(
            view.rows_seen() == 0 ? view.view(chunk, selection.first_row()) : view.view(chunk));
        check_chunk(rows);
        if (rows.num_rows > 0) consume(rows);
      });
    });
    if (view.rows_seen() == 0) throw no_rows();
  }

  using Work = std::function<std::function<void()>(const TableChunk&)>;

  void read_in_parallel(const std::vector<ColumnRequest>& requests, const Work& work) {
    if (connection.num_threads() == 1) {
      read(requests, [&](const TableChunk& chunk) {
        if (const auto use = work(chunk)) use();
      });
      return;
    }
    const Selection selected = select(requests);
    RowOrder order(selection.rows().first);
    std::atomic<bool> has_rows = false;
    const auto use = [&](const TableChunk& chunk) {
      const TableChunk rows = selection.within(chunk);
      check_chunk(rows);
      if (rows.num_rows == 0) return;
      has_rows = true;
      order.put(rows.first_row, rows.num_rows, finished(work, rows));
    };
    explaining_failures(selected, [&] {
      try {
        if (!scan_places(selected, use)) stream_chunks(selected, use);
      } catch (...) {
        order.rethrow();
        throw;
      }
    });
    if (!has_rows) throw no_rows();
  }

  template <class Use>
  void stream_chunks(const Selection& selected, const Use& use) {
    connection.stream_in_parallel(select_sql(selected),
                                  [&](duckdb_data_chunk chunk, std::size_t first_row) {
                                    duck::ChunkView view(selected.kinds);
                                    use(view.view(chunk, selection.first_row() + first_row));
                                  });
  }

  // Reads Parquet files: each thread of DuckDB uses the rows that it has read. Returns false if the
  // table must be streamed instead.
  template <class Use>
  bool scan_places(const Selection& selected, const Use& use) {
    if (source.format != Format::kParquet || source.is_remote || !query.empty()) return false;
    for (const ReadableColumn& column : own) {
      if (duck::hides_places(column.info.name)) return false;
    }
    if (!taker) taker.emplace(connection);
    const bool is_whole = selection.rows().is_whole();
    duck::ParquetLayout layout{.first_rows = selection.file_rows()};
    HelpWithGroups help{.first_row = RowRange::kLast};
    if (is_whole) {
      layout = parquet_layout(connection, source);
      help = help_with_groups(layout.num_rows, layout.num_row_groups, connection.num_threads());
    }
    ChunkHelpers helpers(help.num_helpers, use);
    taker->scan(selected.list, is_whole ? relation : selection.with_places(), layout.first_rows,
                [&](duckdb_data_chunk chunk, std::size_t first_row) {
                  duck::ChunkView view(selected.kinds, duck::kPlaceColumns);
                  const TableChunk& rows = view.view(chunk, first_row);
                  if (first_row < help.first_row || !helpers.take_over(rows)) use(rows);
                });
    helpers.finish();
    return true;
  }

  bool settle_kinds(Ranks* ranks) {
    const std::uint64_t late = text_came_late ? 1 : 0;
    if (late + (ranks == nullptr ? 0 : summed_counts(*ranks, {late}).front()) == 0) return false;
    text_came_late = false;
    const auto before = readable;
    const ReadingRules rules_before = *rules;
    judge_csv_columns(Sample::kAllRows);
    return *rules != rules_before || !std::ranges::equal(before, readable, duck::are_read_alike);
  }

  void complete_rules(const std::vector<TextFactor>& text_factors,
                      const std::optional<PositiveOutcome>& positive) {
    for (ReadingRules* completed : {rules.get(), &asked.rules}) {
      completed->text_factors = text_factors;
      completed->positive = positive;
    }
    add_made_columns();
  }

  std::vector<std::string> understood(const std::vector<std::string>& names) const {
    std::vector<const duck::CsvColumn*> used;
    for (const std::string& name : names) {
      const duck::CsvColumn* column = csv_column(name);
      if (column == nullptr) continue;
      refuse_doubt(*column);
      used.push_back(column);
    }
    return notes_on_csv(used, *rules, source.name);
  }

  void refuse_doubt(const duck::CsvColumn& column) const {
    // If a query has converted the column to another type, there is no doubt left.
    const ColumnInfo* read_as = find_column(columns, column.name);
    const bool is_text = read_as != nullptr && read_as->kind == ColumnKind::kText;
    if (column.doubt.empty() || !is_text) return;
    throw Error(ErrorCode::kInput,
                fmt::format("'{}': column '{}' {}", source.name, column.name, column.doubt));
  }

  // Returns what was inferred about a column of the CSV file; null if the file has no such column.
  const duck::CsvColumn* csv_column(std::string_view name) const {
    const auto found = std::find_if(csv_columns.begin(), csv_columns.end(),
                                    [&](const auto& column) { return column.name == name; });
    return found == csv_columns.end() ? nullptr : &*found;
  }
};

TableReader::TableReader(const TableSource& source) : impl_(std::make_unique<Impl>(source)) {}
TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

const std::string& TableReader::name() const { return impl_->source.name; }

const TableSource& TableReader::source() const { return impl_->asked; }

const std::vector<ColumnInfo>& TableReader::columns() const { return impl_->columns; }

bool TableReader::has_column(std::string_view name) const {
  return find_column(impl_->columns, name) != nullptr;
}

const ColumnInfo& TableReader::column(std::string_view name, std::string_view role) const {
  // If the rules make the column from another column, the error names the other column.
  const std::string source = has_column(name) ? "" : duck::source_of(name, *impl_->rules);
  if (!source.empty() && !has_column(source)) name = source;
  return require_column(impl_->columns, name, role, impl_->source.name);
}

void TableReader::read(const std::vector<ColumnRequest>& columns,
                       const std::function<void(const TableChunk&)>& consume) const {
  impl_->explaining([&] { impl_->read(columns, consume); });
}

void TableReader::read_in_parallel(
    const std::vector<ColumnRequest>& columns,
    const std::function<std::function<void()>(const TableChunk&)>& work) const {
  impl_->explaining([&] { impl_->read_in_parallel(columns, work); });
}

bool TableReader::settle_kinds(Ranks* ranks) {
  return impl_->explaining([&] { return impl_->settle_kinds(ranks); });
}

RowShare TableReader::share(Ranks& ranks, std::size_t unit) {
  duck::require_shareable(impl_->asked, impl_->source);
  return impl_->explaining([&] {
    return impl_->selection.share(impl_->connection, impl_->source, impl_->header, unit, ranks);
  });
}

void TableReader::read_only(const RowRange& rows) {
  impl_->selection.read_only(rows, impl_->source, impl_->header);
}

const ReadingRules& TableReader::rules() const { return *impl_->rules; }

void TableReader::complete_rules(const std::vector<TextFactor>& text_factors,
                                 const std::optional<PositiveOutcome>& positive) {
  impl_->complete_rules(text_factors, positive);
}

std::vector<std::string> TableReader::understood(const std::vector<std::string>& columns) const {
  return impl_->understood(columns);
}

}  // namespace otss
