// Several tables side by side, for SQL over all of them; TableReader's SQL sees one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

struct NamedSource {
  std::string name;  // of the view, in SQL
  std::string path;  // a file or glob, as in TableSource
};

class Database {
 public:
  // Every source becomes a view. The columns of a CSV are text there, with NULL where a field is
  // empty: SQL that needs another type casts, which leaves Parquet as it is.
  explicit Database(const std::vector<NamedSource>& sources);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool has_column(const std::string& view, const std::string& column);

  // Statements that make views, tables and macros. Runs on one thread, so that sums of doubles are
  // the same bits every time. What DuckDB refuses is an Error(kInput) in its words.
  void execute(const std::string& sql);

  // The rows of a select; numbers, dates and booleans as numbers, all else as text. May be empty.
  Table select(const std::string& sql);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss
