// Writes Parquet files. docs/adr/0055 says why by hand.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "data/table/parquet/footer.hpp"
#include "data/table/parquet/format_numbers.hpp"
#include "data/table/parquet/row_group_queue.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

using namespace parquet;

// So many row groups per thread may be in memory: one that is encoded, and others that wait because
// rows come in bursts, when a thread has read the part of the input that the others wait for.
constexpr std::size_t kGroupsPerThread = 3;

class ParquetFormat final : public RowFormat {
 public:
  std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const override {
    return std::make_shared<ParquetRows>(chunk);
  }
  std::shared_ptr<FormattedRows> received(std::string message) const override {
    return std::make_shared<ParquetRows>(message);
  }
};

class ParquetSink final : public TableSink {
 public:
  ParquetSink(const std::string& path, const std::vector<ColumnInfo>& columns, int threads)
      : threads_(threads == 0 ? hardware_threads() : threads),
        file_(path),
        queue_(kGroupsPerThread * static_cast<std::size_t>(threads_),
               [this](const RowGroup& group) { return encoded(group); }) {
    for (const ColumnInfo& column : columns) columns_.push_back({column, stored_type(column)});
    append(kMagic);
  }

  void write(const std::shared_ptr<const FormattedRows>& rows) override {
    for (RowGroup& group : builder_.add(std::static_pointer_cast<const ParquetRows>(rows)))
      queue_.add(std::move(group));
  }

  void help() override { queue_.help(); }

  void commit() override {
    RowGroup rest = builder_.take_rest();
    if (rest.num_rows > 0) queue_.add(std::move(rest));
    queue_.finish(threads_);
    std::vector<StoredColumn> stored;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      stored.push_back({columns_[i].info.name, settled_type(i)});
    append(footer(stored, groups_));
    file_.commit();
  }

 private:
  struct Column {
    ColumnInfo info;
    StoredType type;  // the type of values; if some text is no such value, the column becomes text
  };

  std::function<void()> encoded(const RowGroup& group) {
    std::vector<ColumnChunk> chunks;
    for (std::size_t i = 0; i < columns_.size(); ++i) chunks.push_back(encode(values_of(group, i)));
    return [this, chunks = std::move(chunks)] {
      check_interrupt();
      groups_.emplace_back();
      for (const ColumnChunk& chunk : chunks) groups_.back().push_back(appended(chunk));
    };
  }

  PlainValues values_of(const RowGroup& group, std::size_t column) const {
    const auto& [info, type] = columns_[column];
    if (info.kind == ColumnKind::kNumber) return number_values(group, column, type);
    if (type.storage != Storage::kText) {
      if (auto values = converted_values(group, column, type)) return std::move(*values);
      if (!has_text(type)) throw misfit(info);
    }
    return text_values(group, column, type);
  }

  // Returns the type of a column when all its values are known. If a row group has a text that is no
  // value of the type, all row groups get texts: those of values go to the end of the file. A row
  // group need not be in one place.
  StoredType settled_type(std::size_t column) {
    const StoredType& type = columns_[column].type;
    const auto has_type = [&](const auto& chunks) {
      return chunks[column].storage == type.storage;
    };
    if (std::ranges::all_of(groups_, has_type)) return type;
    for (std::vector<ChunkFacts>& chunks : groups_) {
      if (!has_type(chunks)) continue;
      const ChunkFacts& facts = chunks[column];
      const std::string bytes = file_.read(facts.position, facts.num_bytes);
      chunks[column] = appended(encode(as_texts(decode(bytes, facts), type)));
    }
    return {Storage::kText};
  }

  ChunkFacts appended(const ColumnChunk& chunk) {
    ChunkFacts facts = chunk.facts;
    facts.position = num_bytes_;
    append(chunk.head);
    append(chunk.body);
    return facts;
  }

  void append(std::string_view bytes) {
    file_.write(bytes);
    num_bytes_ += bytes.size();
  }

  // The reader of a table has made the texts of other types, so only texts that a C++ program makes
  // can be wrong.
  static Error misfit(const ColumnInfo& column) {
    return {ErrorCode::kInput,
            fmt::format("column '{}' has a text that is not of type {}; write the column as text",
                        column.name, column.stored_as)};
  }

  int threads_;
  AtomicFile file_;
  std::size_t num_bytes_ = 0;  // the number of bytes written so far
  std::vector<Column> columns_;
  RowGroupBuilder builder_;
  std::vector<std::vector<ChunkFacts>> groups_;  // the column chunks written so far
  RowGroupQueue queue_;
};

}  // namespace

std::unique_ptr<RowFormat> make_parquet_format() { return std::make_unique<ParquetFormat>(); }

std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns, int threads) {
  return std::make_unique<ParquetSink>(path, columns, threads);
}

}  // namespace otss::internal
