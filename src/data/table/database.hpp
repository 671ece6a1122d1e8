// A Database runs SQL over several tables. (The SQL of a TableReader can use only one table.)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal {

struct NamedSource {
  std::string name;  // the name of the view in SQL
  std::string path;  // a file or a pattern, as in TableSource::path
};

class Database {
 public:
  // Makes a view of every source. In the view of a CSV file every column is text, and an empty
  // field is NULL. So an SQL statement should cast each column to the type that it needs. The cast
  // does no harm for a Parquet column, which already has its type.
  explicit Database(const std::vector<NamedSource>& sources);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool has_column(const std::string& view, const std::string& column);

  // Runs a statement that creates a view, a table or a macro. The statement runs on one thread, so
  // that sums of doubles are bitwise reproducible. If DuckDB reports an error, throws Error(kInput)
  // with DuckDB's message.
  void execute(const std::string& sql);

  // Returns the rows that an SQL SELECT gives. The result may have no rows. Numbers, dates and
  // booleans become numbers; all other types become text.
  Table select(const std::string& sql);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace otss::internal
