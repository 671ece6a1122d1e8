// Reads and writes tables. Every format (CSV, Parquet, JSON) is read as chunks of named columns
// that are numbers or text, so that the rest of the library does not depend on the format; only
// error messages name the file.
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

// How a cell of a CSV file becomes a value. A model stores the rules by which its log was read, and
// serving reads tables by the same rules.
struct ReadingRules {
  // Words that mean a missing number, in lower case; files may have them in any case. An empty cell
  // is always missing.
  std::vector<std::string> missing = {"na", "nan", "null", "n/a", "none"};
  char decimal = '.';  // the decimal point; no other character is supported yet

  bool is_missing(std::string_view text) const;  // whether a cell's text means a missing number
  void validate() const;  // throws Error(kInput) for rules that cannot be used
  bool operator==(const ReadingRules&) const = default;
};

// A table as a user names it on the command line.
struct TableSource {
  std::string path;         // a file, a glob, or "-" for CSV on standard input
  std::string query = {};   // SQL over the table, which it calls t; empty: all its rows
  ReadingRules rules = {};  // for CSV
  int threads = 0;          // threads that read; 0: all cores. They do not change the result
};

// How a column is read.
enum class ColumnKind { kNumber, kText };

// The type of a column in its file. Booleans are read as the numbers 0 and 1, dates and times as
// seconds since 1970-01-01.
enum class ValueType { kUnknown, kNumber, kWholeNumber, kBoolean, kTime, kText };

struct ColumnInfo {
  std::string name;
  ColumnKind kind;
  // For writing: the numbers are whole and never missing, so typed formats store integers.
  bool is_count = false;
  ValueType type = ValueType::kUnknown;  // for reading: the type in the file
};

// Consecutive rows of one column; `kind` says which of the two spans is filled. Valid until the
// callback of TableReader::read returns.
struct ColumnChunk {
  ColumnKind kind = ColumnKind::kNumber;
  std::span<const double> numbers;          // NaN where missing
  std::span<const std::string_view> texts;  // data() == nullptr where missing
};

// Consecutive rows of a table.
struct TableChunk {
  std::size_t first_row = 0;  // 0-based index of the chunk's first row in the table
  std::size_t num_rows = 0;
  std::vector<ColumnChunk> columns;  // in the order they were asked for
};

// A column to read. `as_text` keeps the characters of the file ("007" stays "007"), as ids and
// columns copied to the output need.
struct ColumnRequest {
  std::string name;
  bool as_text = false;
};

// Reads a table. A file that is missing or cannot be read is an Error(kInput).
class TableReader {
 public:
  explicit TableReader(const TableSource& source);
  // A template, so that TableReader({"log.csv", "SELECT …"}) selects the constructor above.
  template <class Path>
  requires std::convertible_to<const Path&, std::string>
  explicit TableReader(const Path& path) : TableReader(TableSource{.path = path}) {}
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  const std::string& name() const;                 // as the user wrote it, for messages
  const std::vector<ColumnInfo>& columns() const;  // in the order of the file
  bool has_column(std::string_view name) const;

  // The column of this name. An unknown name is an Error that gives the file and the most similar
  // column name. `role` says in the message what the column is for, such as "--factors".
  const ColumnInfo& column(std::string_view name, std::string_view role) const;

  // Calls `consume` with chunk after chunk of the named columns, in row order. A text in a column
  // of numbers is an Error that names the row and the value; a table without rows is an Error. May
  // be called more than once.
  void read(const std::vector<ColumnRequest>& columns,
            const std::function<void(const TableChunk&)>& consume) const;

  // The kinds of a CSV's columns are guessed from its first rows. If a read fails because a later
  // row holds text, this guesses them again from all rows. True: a kind has changed, so that
  // reading again may succeed.
  bool settle_kinds();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One column of a Table.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<double> numbers;     // NaN where missing
  std::vector<std::string> texts;  // of kind text; a missing text is empty and marked in `missing`
  std::vector<bool> missing;       // of kind text; one entry per row
};

// A whole table in memory, for small ones such as a library, candidates or true weights.
struct Table {
  std::size_t num_rows = 0;
  std::vector<Column> columns;
};

Table read_table(const TableReader& reader, const std::vector<ColumnRequest>& columns);

// Writes rows to a file, whose ending gives the format (.csv, .parquet, .json), or as CSV to
// standard output if the path is empty. The file appears only at commit(), complete: rows are
// written to a temporary file beside it, which commit() renames.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns);
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;

  void write(const TableChunk& chunk);  // columns in the order given to the constructor
  void commit();                        // without it, the destructor discards what was written

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss
