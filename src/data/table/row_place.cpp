#include "data/table/row_place.hpp"

#include <fmt/core.h>

#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

std::size_t count_rows(TableSource source, const std::string& file) {
  source.path = file;
  std::size_t count = 0;
  try {
    TableReader(source).read({}, [&](const TableChunk& chunk) { count += chunk.num_rows; });
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    // The reader refuses a file that has a header but no rows. Such a file is valid in a table of
    // several files, so it counts as 0 rows.
  }
  return count;
}

}  // namespace

std::string place_of_row(const TableSource& source, std::size_t row) {
  std::string plain = fmt::format("row {}", row + 1);
  if (source.memory != nullptr || source.path == "-" || !source.query.empty()) return plain;
  if (is_database(source.path) || duck::is_remote(source.path)) return plain;
  const auto files = duck::matching_files(source.path);
  if (files.size() == 1) return plain;
  for (const std::string& file : files) {
    const std::size_t num_rows = count_rows(source, file);
    if (row < num_rows) return fmt::format("row {} of '{}'", row + 1, file);
    row -= num_rows;
  }
  return plain + " of all files together";
}

}  // namespace otss::internal
