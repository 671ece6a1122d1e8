#include <fmt/core.h>

#include <future>

#include "base/atomic_file.hpp"
#include "base/threads.hpp"
#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/parquet_rows.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The number of rows in a row group of the file: a multiple of DuckDB's 2048. A row group is what
// one thread writes, and what one thread can read later. With a million rows, 16 threads have two
// each, so that some are written to the disk while others are encoded. DuckDB's default is about four
// times as many rows.
constexpr int kRowGroup = 32'768;
// A column with more different values in a row group has no dictionary. DuckDB's default, a fifth of
// the rows, makes it collect thousands of different numbers of each column before it gives up.
constexpr int kDictionary = kRowGroup / 100;

// std::async starts a thread, or, if the system allows no more threads, waits until the result is
// needed.
constexpr auto kNowIfPossible = std::launch::async | std::launch::deferred;

class ParquetFormat final : public RowFormat {
 public:
  std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const override {
    return std::make_shared<duck::ParquetRows>(chunk);
  }
  std::shared_ptr<FormattedRows> received(std::string message) const override {
    return std::make_shared<duck::ParquetRows>(message);
  }
};

// Writes a Parquet file. DuckDB can write Parquet only from a query. So the rows are collected in
// memory, and commit() writes them to the file, several row groups at a time.
class ParquetSink final : public TableSink {
 public:
  ParquetSink(const std::string& path, const std::vector<ColumnInfo>& columns, int threads)
      : path_(path),
        file_(path),
        columns_(columns),
        // Opening a database takes as long as reading a hundred thousand rows. So another thread
        // opens it meanwhile, unless the program may use only one thread.
        opening_(std::async(threads == 1 ? std::launch::deferred : kNowIfPossible, [threads] {
          return std::make_unique<duck::Connection>(threads == 0 ? hardware_threads() : threads);
        })) {}

  void write(const std::shared_ptr<const FormattedRows>& rows) override {
    store_.append(std::static_pointer_cast<const duck::ParquetRows>(rows));
  }

  bool writes_later() const override { return true; }

  void write_later(std::size_t num_rows, const Make& make) override {
    store_.append(num_rows,
                  [make] { return std::static_pointer_cast<const duck::ParquetRows>(make()); });
  }

  void commit() override {
    connection_ = opening_.get();
    store_.serve(*connection_);
    // The table `rows` has no data. DuckDB's threads divide its rows among them, in order.
    run(fmt::format("ATTACH ':memory:' AS memory_of_rows (ROW_GROUP_SIZE {})", kRowGroup));
    run(fmt::format("CREATE TABLE memory_of_rows.rows AS SELECT true AS present FROM range({})",
                    store_.num_rows()));
    std::string values;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      values += (values.empty() ? "" : ", ") + stored_value(i);
    run(fmt::format(
        "COPY (SELECT {} FROM memory_of_rows.rows) TO {} (FORMAT parquet, ROW_GROUP_SIZE {}, "
        "DICTIONARY_SIZE_LIMIT {}, USE_TMP_FILE false)",
        values, duck::quoted_literal(file_.temporary_path()), kRowGroup, kDictionary));
    connection_->close_later();
    connection_.reset();
    file_.commit();
  }

 private:
  // Returns SQL for the column in the type in which it is stored. A column of texts stays text if
  // some text cannot be converted to this type, or would be changed by the conversion.
  std::string stored_value(std::size_t index) {
    const ColumnInfo& column = columns_[index];
    const std::string name = duck::quoted_name(column.name);
    const std::string cell = duck::ParquetStore::cell_sql(column, index, "rowid");
    if (column.kind != ColumnKind::kText || column.stored_as.empty())
      return fmt::format("{} AS {}", cell, name);
    const std::string converted = fmt::format("TRY_CAST({} AS {})", cell, column.stored_as);
    // A text such as 007 would lose its zeros as a whole number.
    const std::string is_kept = column.type == ValueType::kWholeNumber
                                    ? fmt::format("CAST({} AS VARCHAR) = {}", converted, cell)
                                    : fmt::format("{} IS NOT NULL", converted);
    const auto lost = connection_->first_row(
        fmt::format("SELECT 'a row' FROM memory_of_rows.rows WHERE {} IS NOT NULL AND ({}) IS NOT "
                    "TRUE LIMIT 1",
                    cell, is_kept));
    return fmt::format("{} AS {}", lost ? cell : converted, name);
  }

  Error failure(const std::string& reason) const {
    return {ErrorCode::kIo,
            fmt::format("cannot write '{}': {}; write to another file or format", path_, reason)};
  }

  void run(const std::string& sql) {
    try {
      connection_->execute(sql);
    } catch (const duck::Failure& refused) {
      store_.rethrow();
      throw failure(refused.one_line());
    }
  }

  std::string path_;
  AtomicFile file_;
  std::vector<ColumnInfo> columns_;
  duck::ParquetStore store_;
  std::future<std::unique_ptr<duck::Connection>> opening_;
  std::unique_ptr<duck::Connection> connection_;
};

}  // namespace

std::unique_ptr<RowFormat> make_parquet_format() { return std::make_unique<ParquetFormat>(); }

std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns, int threads) {
  return std::make_unique<ParquetSink>(path, columns, threads);
}

}  // namespace otss::internal
