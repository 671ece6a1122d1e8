// Reads and writes tables. Every format (CSV, Parquet, JSON) is read as chunks of named columns of
// numbers or text, so that the rest of the library does not depend on the format. Only error
// messages name the file.
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

// The rules by which a cell of a CSV file becomes a value. A model stores the rules by which its
// training log was read, and later tables for this model are read by these rules.
struct ReadingRules {
  // The words that mean a missing number, in lower case. In a file these words may be in upper or
  // lower case. An empty cell is always missing.
  std::vector<std::string> missing = {"na", "nan", "null", "n/a", "none"};
  char decimal = '.';  // the decimal point; no other character is supported yet

  // True if a cell with this text is a missing number.
  bool is_missing(std::string_view text) const;
  void validate() const;  // throws Error(kInput) for rules that cannot be used
  bool operator==(const ReadingRules&) const = default;
};

// What the SQL of a TableSource may use. A query that needs more is an Error.
struct QueryLimits {
  double seconds = 600;           // in which the database works; infinity: no limit
  std::size_t megabytes = 4'096;  // memory of the database, and also size of the result
};

// A table as a user names it on the command line.
struct TableSource {
  std::string path;  // a file, a glob, or "-" for CSV on standard input
  // SQL over the table, which is called t in the SQL; empty: all rows are read.
  std::string query = {};
  ReadingRules rules = {};  // the rules for CSV files
  // Number of threads that read; 0 means all cores. The result does not depend on it.
  int threads = 0;
  QueryLimits limits = {};  // of `query`
};

// Whether a column is read as numbers or as text.
enum class ColumnKind { kNumber, kText };

// The type of a column in its file. Booleans are read as the numbers 0 and 1, dates and times as
// seconds since 1970-01-01.
enum class ValueType { kUnknown, kNumber, kWholeNumber, kBoolean, kTime, kText };

struct ColumnInfo {
  std::string name;
  ColumnKind kind;
  // Only for writing. True if the numbers are whole and never missing: formats with types then
  // store integers.
  bool is_count = false;
  ValueType type = ValueType::kUnknown;  // only for reading: the type in the file
};

// Consecutive rows of one column. `kind` says whether `numbers` or `texts` is filled. Valid until
// the callback of TableReader::read returns.
struct ColumnChunk {
  ColumnKind kind = ColumnKind::kNumber;
  std::span<const double> numbers;          // NaN where missing
  std::span<const std::string_view> texts;  // data() == nullptr where missing
};

// Consecutive rows of a table.
struct TableChunk {
  std::size_t first_row = 0;  // 0-based index of the chunk's first row in the table
  std::size_t num_rows = 0;
  std::vector<ColumnChunk> columns;  // in the order of the requests
};

// A request to read one column. `as_text` keeps the characters of the file ("007" stays "007"),
// which is needed for ids and for columns that are copied to the output.
struct ColumnRequest {
  std::string name;
  bool as_text = false;
};

// Reads a table. A file that is missing or cannot be read is an Error(kInput).
class TableReader {
 public:
  explicit TableReader(const TableSource& source);
  // This is a template, so that TableReader({"log.csv", "SELECT …"}) selects the constructor above.
  template <class Path>
  requires std::convertible_to<const Path&, std::string>
  explicit TableReader(const Path& path) : TableReader(TableSource{.path = path}) {}
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  const std::string& name() const;                 // the path as the user wrote it, for messages
  const std::vector<ColumnInfo>& columns() const;  // in the order of the file
  bool has_column(std::string_view name) const;

  // Returns the column with this name. An unknown name is an Error that gives the file and the most
  // similar column name. `role` tells the user what the column is for, such as "--factors".
  const ColumnInfo& column(std::string_view name, std::string_view role) const;

  // Calls `consume` with chunk after chunk of the named columns, in row order. A text in a column
  // of numbers is an Error that names the row and the value; a table without rows is an Error. May
  // be called more than once.
  void read(const std::vector<ColumnRequest>& columns,
            const std::function<void(const TableChunk&)>& consume) const;

  // The kinds of a CSV's columns are guessed from its first rows. If a read fails because a later
  // row holds text, this function guesses the kinds again from all rows. Returns true if a kind has
  // changed, so that reading again may succeed.
  bool settle_kinds();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One column of a Table.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<double> numbers;  // NaN where missing
  // Only for kind text; a missing text is empty and marked in `missing`.
  std::vector<std::string> texts;
  std::vector<bool> missing;  // only for kind text; one entry per row
};

// A whole table in memory, for small tables such as a library, candidates or true weights.
struct Table {
  std::size_t num_rows = 0;
  std::vector<Column> columns;
};

Table read_table(const TableReader& reader, const std::vector<ColumnRequest>& columns);

// Writes rows to a file, whose suffix gives the format (.csv, .parquet, .json), or as CSV to
// standard output if the path is empty. Rows are first written to a temporary file in the same
// folder. commit() renames the temporary file, so that an incomplete file never appears under
// `path`.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns);
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;

  void write(const TableChunk& chunk);  // the columns are in the order given to the constructor
  void commit();  // without this call, the destructor discards the written rows

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss
