// Tables as users have them. Many readers (CSV, Parquet, JSON, later a database), one shape: chunks
// of named columns that are numbers or text. Nothing past this header knows where a value came
// from, except for its name in an error.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace otss {

// How the characters of a CSV's cell become a value. A model keeps the rules its log was read by,
// and tables are read by them again when it serves.
struct ReadingRules {
  // Words that mean a missing number, in small letters; a file may have them in any case. An empty
  // cell is always missing.
  std::vector<std::string> missing = {"na", "nan", "null", "n/a", "none"};
  char decimal = '.';  // the sign before a number's decimals; no other is read yet

  bool is_missing(std::string_view text) const;
  void validate() const;  // throws Error(kInput) for rules that no table can be read by
  bool operator==(const ReadingRules&) const = default;
};

// What a user names on the command line: a file, a glob, or "-" for CSV on standard input; and SQL
// over it (table t).
struct TableSource {
  std::string path;
  std::string query = {};
  ReadingRules rules = {};
  int threads = 0;  // that read it; 0 takes all cores. What is read does not depend on it
};

// What a column is read as.
enum class ColumnKind { kNumber, kText };

// What the values of a column are in its source. Booleans are read as the numbers 0 and 1, dates
// and times as seconds since 1970.
enum class ValueType { kUnknown, kNumber, kWholeNumber, kBoolean, kTime, kText };

struct ColumnInfo {
  std::string name;
  ColumnKind kind;
  bool is_count = false;  // written: whole numbers, never missing, which typed formats keep as such
  ValueType type = ValueType::kUnknown;  // of a column that is read
};

// Some consecutive rows of one column; exactly one of the spans is filled, by kind. Valid until the
// callback returns.
struct ColumnChunk {
  ColumnKind kind = ColumnKind::kNumber;
  std::span<const double> numbers;          // NaN where missing
  std::span<const std::string_view> texts;  // data() == nullptr where missing
};

struct TableChunk {
  std::size_t first_row = 0;  // 0-based index of the chunk's first row in the table
  std::size_t num_rows = 0;
  std::vector<ColumnChunk> columns;  // in the order they were asked for
};

// A column to read. `as_text` keeps the characters of the source ("007" stays "007"): for ids and
// kept columns.
struct ColumnRequest {
  std::string name;
  bool as_text = false;
};

class TableReader {
 public:
  explicit TableReader(const TableSource& source);
  // A template, so that TableReader({"log.csv", "SELECT …"}) means a TableSource.
  template <class Path>
  requires std::convertible_to<const Path&, std::string>
  explicit TableReader(const Path& path) : TableReader(TableSource{.path = path}) {}
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  const std::string& name() const;  // as the user wrote it, for messages
  const std::vector<ColumnInfo>& columns() const;
  bool has_column(std::string_view name) const;

  // Unknown column: an error that names the file and the nearest column name. `role` says what it
  // was wanted for, as the user typed it (for example "--factors").
  const ColumnInfo& column(std::string_view name, std::string_view role) const;

  // Streams the named columns, in row order. A column asked for as number that holds text is an
  // error naming the row and the value. May be called more than once. A table without rows is an
  // error.
  void read(const std::vector<ColumnRequest>& columns,
            const std::function<void(const TableChunk&)>& consume) const;

  // The kinds of a CSV's columns are judged from its first rows. When a read failed because text
  // came later, this judges them again from all rows; true if a kind has changed, so that reading
  // again may succeed.
  bool settle_kinds();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A whole (small) table in memory: libraries, candidates, truths, maps.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<double> numbers;  // NaN where missing
  std::vector<std::string>
      texts;  // with kind text; a missing text is empty and marked in `missing`
  std::vector<bool> missing;
};

struct Table {
  std::size_t num_rows = 0;
  std::vector<Column> columns;
};

Table read_table(const TableReader& reader, const std::vector<ColumnRequest>& columns);

// Writes rows to a file (format by its ending: .csv, .parquet, .json) or, for an empty path, to
// standard output as CSV. The file appears whole, at commit(), or not at all: it is written beside
// and renamed.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns);
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;

  void write(const TableChunk& chunk);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss
