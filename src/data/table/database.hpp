// SQL over several tables. (The SQL of a TableReader can use only one table.)
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
  // Every source becomes a view. In the view of a CSV file every column is text, and an empty field
  // is NULL. SQL should cast columns to the type it needs; on Parquet columns that already have
  // this type the cast does nothing.
  explicit Database(const std::vector<NamedSource>& sources);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool has_column(const std::string& view, const std::string& column);

  // For statements that create views, tables and macros. Runs on one thread, so that sums of
  // doubles are bitwise reproducible. If DuckDB reports an error, throws Error(kInput) with its
  // message.
  void execute(const std::string& sql);

  // The rows of a select, possibly none. Numbers, dates and booleans become numbers; everything
  // else becomes text.
  Table select(const std::string& sql);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss
