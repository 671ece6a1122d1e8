// A RowSelection says which rows of CSV or Parquet files a reader reads: all, or those of one of
// several processes that share the files.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

// Throws an Error if ranks cannot share the table: if it is not CSV or Parquet files on this machine,
// or if it has a query.
void require_shareable(const TableSource& table, const SourceFiles& source);

class RowSelection {
 public:
  // Selects all rows of a relation, which is the part of an SQL query that follows FROM.
  void select_all(std::string relation) {
    whole_ = std::move(relation);
    read_only({}, {}, {});
  }

  // The relation that reads the selected rows, in their order. Of CSV files it reads whole files, so
  // rows before and behind the selected ones may come too. DuckDB skips row groups of Parquet files
  // that have no selected row.
  const std::string& relation() const { return relation_; }
  // Of Parquet files after share(): the same rows, with the columns that ChunkTaker needs, and where each
  // file begins.
  const std::string& with_places() const { return with_places_; }
  const std::vector<std::size_t>& file_rows() const { return file_rows_; }
  // The number, in the whole table, of the first row of relation().
  std::size_t first_row() const { return first_row_; }
  const RowRange& rows() const { return rows_; }  // the selected rows

  // Returns the selected rows of a chunk. Their values stay where they are.
  TableChunk within(const TableChunk& chunk) const;

  // Selects the share of this rank; see TableReader::share. The ranks count the rows of different CSV
  // files at the same time.
  RowShare share(Connection& connection, const SourceFiles& source, const CsvHeader& header,
                 std::size_t unit, Ranks& ranks);

  // After share(), selects other rows. RowRange{} selects all rows.
  void read_only(const RowRange& rows, const SourceFiles& source, const CsvHeader& header);

 private:
  std::string whole_, relation_, with_places_;
  std::size_t first_row_ = 0;
  RowRange rows_;
  std::vector<std::size_t> file_rows_;  // file i has the rows from file_rows_[i] on
};

}  // namespace otss::internal::duck
