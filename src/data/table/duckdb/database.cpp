#include "data/table/database.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "data/table/append_chunk.hpp"
#include "data/table/duckdb/chunk_view.hpp"
#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/readable_column.hpp"
#include "data/table/duckdb/source_relation.hpp"

namespace otss::internal {
namespace {

using duck::Failure;

Error refused(const Failure& failure) { return {ErrorCode::kInput, failure.one_line()}; }

}  // namespace

struct Database::Impl {
  std::vector<duck::SourceFiles> sources;
  duck::Connection connection{2};  // one thread runs SQL, the other one takes the rows

  void restrict_to_sources() {
    std::vector<std::string> files;
    for (const auto& source : sources)
      files.insert(files.end(), source.files.begin(), source.files.end());
    connection.restrict_to(files);
  }

  void create_view(const std::string& name, const duck::SourceFiles& source) {
    try {
      const std::string relation =
          source.format == duck::Format::kCsv
              ? duck::csv_relation(source.files, duck::read_csv_headers(connection, source))
              : duck::typed_relation(source);
      connection.execute(
          fmt::format("CREATE VIEW {} AS SELECT * FROM {}", duck::quoted_name(name), relation));
    } catch (const Failure& failure) {
      throw unreadable(failure, source);
    }
  }
};

Database::Database(const std::vector<NamedSource>& sources) : impl_(std::make_unique<Impl>()) {
  for (const NamedSource& source : sources)
    impl_->sources.push_back(duck::find_source_files(source.path));
  impl_->connection.use_one_thread_for_sql();
  impl_->restrict_to_sources();
  for (std::size_t i = 0; i < sources.size(); ++i)
    impl_->create_view(sources[i].name, impl_->sources[i]);
}

Database::~Database() = default;

bool Database::has_column(const std::string& view, const std::string& column) {
  const auto columns = impl_->connection.describe("SELECT * FROM " + duck::quoted_name(view));
  return std::ranges::any_of(columns, [&](const auto& known) { return known.name == column; });
}

void Database::execute(const std::string& sql) {
  try {
    impl_->connection.execute(sql);
  } catch (const Failure& failure) {
    throw refused(failure);
  }
}

Table Database::select(const std::string& sql) {
  const std::string relation = fmt::format("(\n{}\n)", sql);
  Table table;
  std::string list;
  std::vector<ColumnKind> kinds;
  try {
    for (const auto& column : impl_->connection.describe("SELECT * FROM " + relation)) {
      const duck::ReadableColumn readable = duck::readable_column(column, ReadingRules{});
      const bool is_number = readable.info.kind == ColumnKind::kNumber;
      list += (list.empty() ? "" : ", ") + (is_number ? readable.as_number : readable.as_text);
      kinds.push_back(readable.info.kind);
      table.columns.push_back({.name = column.name, .kind = readable.info.kind});
    }
    duck::ChunkView view(kinds);
    impl_->connection.stream(fmt::format("SELECT {} FROM {}", list, relation),
                             [&](duckdb_data_chunk chunk) { append(view.view(chunk), table); });
  } catch (const Failure& failure) {
    throw refused(failure);
  }
  return table;
}

}  // namespace otss::internal
