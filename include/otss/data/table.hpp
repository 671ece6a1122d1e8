// This header reads and writes tables. Every format (CSV, Parquet, JSON) is read as chunks of named
// columns of numbers or text, so that the rest of the library does not depend on the format.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/reading_rules.hpp"

namespace otss {

class Ranks;  // otss/base/ranks.hpp

namespace internal {
struct FormattedRows;
}

// Limits for the SQL query of a TableSource. It is an Error if the query needs more time or memory.
struct QueryLimits {
  // The longest time that the database may work on the query, in seconds. Infinity means no limit.
  double seconds = 600;
  std::size_t megabytes = 4'096;  // the largest memory of the database, and the largest result
};

// One column of a table in memory. Exactly one of the two functions is set. Each function writes the
// values of consecutive rows, from `first_row` on; `values` has one entry per row. Two calls never
// overlap, but they may come from different threads.
struct MemoryColumn {
  std::string name;
  // Writes numbers; a missing number is NaN.
  std::function<void(std::size_t first_row, std::span<double> values)> numbers = {};
  // Writes texts in UTF-8; a missing text has data() == nullptr. The texts must stay valid until the
  // next call.
  std::function<void(std::size_t first_row, std::span<std::string_view> values)> texts = {};
};

// A table in memory. Its columns are read in place, in any layout. They must stay valid as long as
// the MemoryTable exists.
struct MemoryTable {
  std::string name;  // the name of the table in messages
  std::size_t num_rows = 0;
  std::vector<MemoryColumn> columns;
};

// Returns true if the path is the address of a database: postgresql://… or postgres://….
bool is_database(const std::string& path);

// Consecutive rows of a table, counted from 0: those from `first` to `end` - 1.
struct RowRange {
  static constexpr std::size_t kLast = static_cast<std::size_t>(-1);
  std::size_t first = 0;
  std::size_t end = kLast;  // kLast means all rows from `first` on

  bool is_whole() const { return first == 0 && end == kLast; }
};

// The rows of a process that shares a table with other processes.
struct RowShare {
  RowRange rows;                 // the rows of this process
  std::size_t num_all_rows = 0;  // of all processes together
};

// A table as a user gives it on the command line, or a table in memory.
struct TableSource {
  // A file, a glob, "-" for CSV on standard input, or the address of a database, such as
  // postgresql://host/database#table. Not used for a table in memory.
  std::string path = {};
  // An SQL query over the table, which has the name t in the query. Empty means that all rows are
  // read. The server of a database executes the query; the address then needs no table.
  std::string query = {};
  ReadingRules rules = {};  // how cells become values
  // The number of threads that read; 0 means all cores. The result does not depend on the number.
  // Rows that are read before it is their turn wait in a buffer of 24 MB per thread.
  int threads = 0;
  QueryLimits limits = {};  // the limits for `query`
  // The table in memory to read; null if the table is a file.
  std::shared_ptr<const MemoryTable> memory = nullptr;
};

// A column that is already in memory. Fill exactly one of the two spans.
struct NamedColumn {
  std::string name;
  std::span<const double> numbers = {};          // a missing number is NaN
  std::span<const std::string_view> texts = {};  // a missing text has data() == nullptr
};

// Returns a TableSource that reads these columns. The columns must have the same number of rows and
// must stay valid as long as a copy of the result exists. Throws Error(kInput) if their numbers of
// rows differ. `name` is the name of the table in messages.
TableSource table_in_memory(std::string name, const std::vector<NamedColumn>& columns);

// The kind says whether a column is read as numbers or as text.
enum class ColumnKind { kNumber, kText };

// The type that a column has in its file. Booleans are read as the numbers 0 and 1. Dates and times
// are read as seconds since 1970-01-01.
enum class ValueType { kUnknown, kNumber, kWholeNumber, kBoolean, kTime, kText };

struct ColumnInfo {
  std::string name;
  ColumnKind kind;
  // This field is used only for writing. True means that the numbers are whole and never missing. A
  // format with typed columns then stores integers.
  bool is_count = false;
  ValueType type = ValueType::kUnknown;  // the type of the values
  // Formats with typed columns store the texts of this column in this SQL type, such as "BIGINT" or
  // "DATE". Empty for texts that stay texts, and for columns that the program computes.
  std::string stored_as = {};
  // The name of the column from which the ReadingRules make this column. Empty for a column of the
  // file.
  std::string made_from = {};
};

// Consecutive rows of one column. `kind` says whether `numbers` or `texts` is filled. The chunk is
// valid until the callback of TableReader::read returns.
struct ColumnChunk {
  ColumnKind kind = ColumnKind::kNumber;
  std::span<const double> numbers;          // a missing number is NaN
  std::span<const std::string_view> texts;  // a missing text has data() == nullptr
};

// Consecutive rows of a table.
struct TableChunk {
  std::size_t first_row = 0;  // the row number of the chunk's first row, counted from 0
  std::size_t num_rows = 0;
  std::vector<ColumnChunk> columns;  // one entry per request, in the order of the requests
};

// The form in which a column is read as text.
enum class TextForm {
  kVerbatim,  // the characters of the file ("007" stays "007"), for ids
  // A level of a context or factor: trimmed and in lower case where the rules say so, and missing
  // if it is one of the words in ReadingRules::missing_texts.
  kLevel,
  // A value in standard form. In a column of numbers "1,5" becomes "1.5", and in a column of dates
  // "03.04.2026" becomes "2026-04-03". This form is for columns that are copied into a format with
  // typed columns.
  kValue,
};

// A request to read one column, as numbers or as text in the given form.
struct ColumnRequest {
  std::string name;
  bool as_text = false;
  TextForm form = TextForm::kVerbatim;
  // True if values of the column may be missing, as in a context but not in a factor. If such a
  // column of numbers has a text, the error also tells the user to give --missing.
  bool may_be_missing = false;
};

// Reads a table. A file that is missing or cannot be read is an Error(kInput).
class TableReader {
 public:
  explicit TableReader(const TableSource& source);
  // This constructor is a template, so that TableReader({"log.csv", "SELECT …"}) calls the
  // constructor above and not this one.
  template <class Path>
  requires std::convertible_to<const Path&, std::string>
  explicit TableReader(const Path& path) : TableReader(TableSource{.path = path}) {}
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  const std::string& name() const;    // the path as the user wrote it, for messages
  const TableSource& source() const;  // the table as it was requested
  // The columns in the order of the file, then the columns that the rules make from them.
  const std::vector<ColumnInfo>& columns() const;
  bool has_column(std::string_view name) const;

  // Returns the column with this name. An unknown name is an Error that names the file and the most
  // similar column. `role` tells the user which option needs the column, such as "--factors".
  const ColumnInfo& column(std::string_view name, std::string_view role) const;

  // Calls `consume` once per chunk of the named columns, in row order. A text in a column of
  // numbers is an Error that names the row and the value. A table without rows is an Error.
  // read() may be called more than once.
  void read(const std::vector<ColumnRequest>& columns,
            const std::function<void(const TableChunk&)>& consume) const;

  // Reads the same chunks on TableSource::threads threads. `work` is called for several chunks at
  // the same time, in any order. It may return a function. These functions are called one at a
  // time, in row order. If `work` throws, the exception is thrown after the functions of all
  // earlier rows have been called. A chunk is valid until `work` returns.
  void read_in_parallel(const std::vector<ColumnRequest>& columns,
                        const std::function<std::function<void()>(const TableChunk&)>& work) const;

  // Returns the rules by which the table is read. TableSource::rules may leave open the decimal
  // sign, the order of day and month, and the words for a missing number. The values of the table
  // then decide.
  const ReadingRules& rules() const;

  // Adds to the rules what a log showed: the text factors with their levels, and the values of the
  // outcome. Afterwards columns() also lists the columns that these rules make.
  void complete_rules(const std::vector<TextFactor>& text_factors,
                      const std::optional<PositiveOutcome>& positive);

  // Returns sentences that say how numbers and dates in these columns were understood, if they are
  // not written as plain numbers and ISO dates. If values can be read in two ways, such as
  // 03/04/2026, throws an Error that names the option to give.
  std::vector<std::string> understood(const std::vector<std::string>& columns) const;

  // The kinds of the columns of a CSV file are guessed from its first rows. If read() fails because
  // a later row of a number column holds text, call this function: it guesses the kinds again from
  // all rows. It returns true if a kind or a rule has changed. Then a second read() may succeed.
  // If ranks share the table, all ranks must call this function, also those whose read() succeeded,
  // and all get the same result.
  bool settle_kinds(Ranks* ranks = nullptr);

  // Shares out the rows of CSV or Parquet files over ranks. Afterwards read() reads only the rows of
  // this rank, which are consecutive and about as many as those of another rank. A share begins at a
  // multiple of `unit` rows. Row numbers stay those of the whole table. All ranks must call this
  // function. Another table or a query is an Error, and so are more ranks than units.
  RowShare share(Ranks& ranks, std::size_t unit = 1);

  // After share(), changes which rows read() reads. RowRange{} means all rows.
  void read_only(const RowRange& rows);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One column of a Table.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<double> numbers;  // used only for kind number; a missing number is NaN
  // This field is used only for kind text. A missing text is empty and marked in `missing`.
  std::vector<std::string> texts;
  std::vector<bool> missing;  // used only for kind text; true for a missing text
};

// A whole table in memory, for small tables such as a library, candidates or true weights.
struct Table {
  std::size_t num_rows = 0;
  std::vector<Column> columns;
};

Table read_table(const TableReader& reader, const std::vector<ColumnRequest>& columns);

// Returns true if a file with this name is written in a format whose values have types (Parquet,
// JSON), or if the path is the address of a database.
bool has_types(const std::string& path);

// What to do if the table of a database that is to be written exists already.
enum class ExistingTable { kRefuse, kReplace };

// Writes rows to a file. The suffix of the file gives the format (.csv, .parquet, .json). If the
// path is empty, rows are written as CSV to standard output. Rows are first written to a temporary
// file in the same folder. commit() renames the temporary file, so that an incomplete file never
// appears under `path`. If the path is the address of a table of a database, the rows are written in
// one transaction, which commit() ends.
class TableWriter {
 public:
  // `threads` is the number of threads that write a Parquet file; 0 means all cores. The bytes of
  // the file do not depend on the number. A file that exists is always replaced. If `ranks` is not
  // null, all ranks write to this table: rank 0 has the file, and commit() brings the rows of the
  // other ranks to it, behind those of rank 0 and in the order of the ranks. Until then, the rows of
  // another rank wait in a temporary file. All ranks must call commit().
  TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns, int threads = 1,
              ExistingTable existing = ExistingTable::kRefuse, Ranks* ranks = nullptr);
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;

  // Rows in the format of the file.
  using Rows = std::shared_ptr<const internal::FormattedRows>;
  // Returns the rows of a chunk in the format of the file. Several threads may call this function
  // at the same time. `chunk` has the columns that the constructor got. The calling thread may first
  // encode rows that were written, or wait until some of them are in the file.
  Rows format(const TableChunk& chunk) const;
  void write(const Rows& rows);         // writes rows in the order of the calls
  void write(const TableChunk& chunk);  // does both
  // Writes `num_rows` rows in parts of `part_rows` rows; the last part may be smaller. make(first,
  // count) returns the rows from `first` on, as format() does. Several threads call it at the same
  // time. Not all parts need memory at the same time.
  void write_parts(std::size_t num_rows, std::size_t part_rows,
                   const std::function<Rows(std::size_t first, std::size_t count)>& make);
  void commit();  // without this call, the destructor discards the written rows

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss
