#include "data/table/duckdb/csv_types.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "data/table/duckdb/chunk_view.hpp"
#include "data/table/duckdb/missing_words.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal::duck {
namespace {

constexpr int kSampleRows = 20480;
// One query examines this many columns. A single query for all columns would be slow, because
// DuckDB's planning time grows faster than linearly with the number of expressions.
constexpr std::size_t kColumnsAtOnce = 16;

// Records which types fit all the values of one column that were seen so far. A value with a
// leading zero fits only the type text.
class ColumnJudge {
 public:
  explicit ColumnJudge(const ReadingRules& rules) : rules_(&rules) {}

  void observe(std::span<const std::string_view> texts) {
    for (const std::string_view text : texts) {
      if (is_text()) return;
      if (text.data() != nullptr && !rules_->is_missing(text)) observe_value(text);
    }
  }

  bool only_time_is_left() const { return may_be_time_ && !is_number_ && !is_boolean_; }

  std::string type() const {
    if (!has_values_) return kNoValues;
    if (is_number_) return is_whole_ ? "BIGINT" : "DOUBLE";
    return is_boolean_ ? "BOOLEAN" : "VARCHAR";
  }

 private:
  bool is_text() const { return !is_number_ && !is_boolean_ && !may_be_time_; }

  void observe_value(std::string_view text) {
    const bool is_plain = !is_code(text);
    has_values_ = true;
    is_whole_ = is_whole_ && is_whole_number(text);
    is_number_ = is_number_ && is_plain && (is_whole_ || is_number(text));
    is_boolean_ = is_boolean_ && (equals_lower(text, "true") || equals_lower(text, "false"));
    may_be_time_ = may_be_time_ && is_plain && text.find_first_of("0123456789") == 0;
  }

  const ReadingRules* rules_;
  bool has_values_ = false;
  bool is_whole_ = true;
  bool is_number_ = true;
  bool is_boolean_ = true;
  bool may_be_time_ = true;
};

std::string rows_of(const std::string& relation, Sample sample) {
  const std::string limit = sample == Sample::kAllRows ? "" : fmt::format(" LIMIT {}", kSampleRows);
  return fmt::format("(SELECT * FROM {}{})", relation, limit);
}

// Finds the columns that hold timestamps. `columns` lists the columns to examine. A DuckDB query
// examines these columns, because DuckDB knows many time formats.
void find_timestamps(Connection& connection, const std::string& rows,
                     const std::vector<std::string>& names, std::span<const std::size_t> columns,
                     std::vector<std::string>& types) {
  std::string select;
  for (const std::size_t column : columns) {
    const std::string value = csv_value_sql(quoted_name(names[column]));
    select += fmt::format(
        "{}CASE WHEN bool_and({} IS NULL OR TRY_CAST({} AS TIMESTAMP) IS NOT NULL) "
        "THEN 'TIMESTAMP' ELSE 'VARCHAR' END",
        select.empty() ? "" : ", ", value, value);
  }
  const auto row = connection.first_row(fmt::format("SELECT {} FROM {}", select, rows));
  for (std::size_t i = 0; i < columns.size(); ++i) types[columns[i]] = (*row)[i].value();
}

}  // namespace

std::vector<std::string> infer_csv_types(Connection& connection, const std::string& relation,
                                         const std::vector<std::string>& names,
                                         const ReadingRules& rules, Sample sample) {
  const std::string rows = rows_of(relation, sample);
  std::vector<ColumnJudge> judges(names.size(), ColumnJudge(rules));
  ChunkView view(std::vector<ColumnKind>(names.size(), ColumnKind::kText));
  connection.stream(fmt::format("SELECT * FROM {}", rows), [&](duckdb_data_chunk chunk) {
    const TableChunk& texts = view.view(chunk);
    for (std::size_t i = 0; i < judges.size(); ++i) judges[i].observe(texts.columns[i].texts);
  });
  if (view.rows_seen() == 0) return {};

  std::vector<std::string> types;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < judges.size(); ++i) {
    types.push_back(judges[i].type());
    if (judges[i].only_time_is_left()) others.push_back(i);
  }
  for (std::size_t first = 0; first < others.size(); first += kColumnsAtOnce) {
    const auto batch =
        std::span(others).subspan(first, std::min(kColumnsAtOnce, others.size() - first));
    find_timestamps(connection, rows, names, batch, types);
  }
  return types;
}

}  // namespace otss::internal::duck
