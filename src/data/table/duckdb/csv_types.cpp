#include "data/table/duckdb/csv_types.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/threads.hpp"
#include "data/table/column_judge.hpp"
#include "data/table/duckdb/cell_functions.hpp"
#include "data/table/duckdb/chunk_view.hpp"

namespace otss::internal::duck {
namespace {

constexpr int kSampleRows = 20480;
// One query examines this many columns. A single query for all columns would be slow, because
// DuckDB's planning time grows faster than linearly with the number of expressions.
constexpr std::size_t kColumnsAtOnce = 16;

std::string rows_of(const std::string& relation, Sample sample) {
  const std::string limit = sample == Sample::kAllRows ? "" : fmt::format(" LIMIT {}", kSampleRows);
  return fmt::format("(SELECT * FROM {}{})", relation, limit);
}

// Finds the columns that are ISO timestamps. An SQL query tests this, because DuckDB knows many
// time formats. `others` are the columns that fit no other type.
void find_timestamps(Connection& connection, const std::string& rows,
                     std::span<CsvColumn* const> others) {
  std::string select;
  for (const CsvColumn* column : others) {
    const std::string value = date_text_sql(quoted_name(column->name));
    select += fmt::format(
        "{0}CASE WHEN bool_and({1} IS NULL OR TRY_CAST({1} AS TIMESTAMP) IS NOT NULL) THEN CASE "
        "WHEN bool_and({1} IS NULL OR length({1}) <= 10) THEN 'DATE' ELSE 'TIMESTAMP' END "
        "ELSE 'VARCHAR' END",
        select.empty() ? "" : ", ", value);
  }
  const auto row = connection.first_row(fmt::format("SELECT {} FROM {}", select, rows));
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string type = (*row)[i].value();
    others[i]->is_date_only = type == "DATE";
    others[i]->type = type == "VARCHAR" ? type : "TIMESTAMP";
  }
}

// Infers the types of all columns together, because a file has one decimal sign and one order of
// day and month.
class Inference {
 public:
  Inference(const CsvHeader& header, const ReadingRules& given, std::vector<ColumnJudge> judges)
      : header_(header), judges_(std::move(judges)), result_{.rules = given} {
    for (const std::string& name : header.names) result_.columns.push_back({.name = name});
    infer_decimal();
    infer_date_order();
    for (std::size_t i = 0; i < judges_.size(); ++i) infer_type(i);
  }

  CsvInference& result() { return result_; }
  bool may_be_iso_time(std::size_t i) const {
    const CsvColumn& column = result_.columns[i];
    return judges_[i].may_be_iso_time() && judges_[i].has_values() && column.type == "VARCHAR" &&
           column.doubt.empty();
  }

 private:
  bool fits_only(std::size_t i, char decimal) const {
    const ColumnJudge& judge = judges_[i];
    return judge.has_values() && judge.is_number(decimal) &&
           !judge.is_number(decimal == '.' ? ',' : '.');
  }

  // Returns a column whose values are numbers only with this decimal sign.
  std::optional<std::size_t> witness(char decimal) const {
    for (std::size_t i = 0; i < judges_.size(); ++i) {
      if (fits_only(i, decimal)) return i;
    }
    return std::nullopt;
  }

  void infer_decimal() {
    if (!result_.rules.decimal && result_.rules.is_settled) result_.rules.decimal = '.';
    if (result_.rules.decimal) {
      doubt_given_sign();
      return;
    }
    const auto point = witness('.');
    const auto comma = witness(',');
    result_.rules.decimal = comma && !point ? ',' : '.';
    if (comma && point) {
      for (std::size_t i = 0; i < judges_.size(); ++i) {
        if (fits_only(i, ',')) doubt_mixed_signs(i, *point);
      }
    }
    if (!comma && !point) doubt_separators();
  }

  // Finds columns in which a comma or a point may be the decimal sign or may separate thousands,
  // and no value shows which. A file that is delimited by commas is clear: a comma inside a number
  // is quoted there, and separates thousands.
  void doubt_separators() {
    if (header_.delimiter == ',') return;
    for (std::size_t i = 0; i < judges_.size(); ++i) {
      const ColumnJudge& judge = judges_[i];
      if (!judge.is_number('.') || !judge.is_number(',')) continue;
      if (judge.has_comma() && !judge.has_dollar()) {
        result_.columns[i].doubt = fmt::format(
            "is '{}' in row {}, where the comma may separate thousands or decimals; give --decimal "
            ". if it separates thousands, or --decimal , if it is the decimal sign",
            judge.example().value, judge.example().row);
      } else if (header_.delimiter == ';') {
        // Programs that delimit columns by semicolons often write 20.000 for twenty thousand. Here
        // the point is read as the decimal sign, and a note tells the user.
        result_.columns[i].example = judge.value_with_point();
      }
    }
  }

  // Finds columns whose values are numbers only if the decimal sign is not the given one.
  void doubt_given_sign() {
    if (result_.rules.is_settled) return;
    const char given = *result_.rules.decimal;
    const char other = given == '.' ? ',' : '.';
    for (std::size_t i = 0; i < judges_.size(); ++i) {
      if (!fits_only(i, other)) continue;
      const ValueInRow& misfit = judges_[i].misfit(given);
      result_.columns[i].doubt = fmt::format(
          "is '{}' in row {}, which is not a number with the decimal sign '{}'; give --decimal {}",
          misfit.value, misfit.row, given, other);
    }
  }

  void doubt_mixed_signs(std::size_t comma, std::size_t point) {
    result_.columns[comma].doubt = fmt::format(
        "is '{0}' in row {1}, with a decimal comma, but column '{2}' has decimal points; give "
        "--decimal , if column '{2}' is not used, or convert one of the two columns, for example "
        "with --query "
        "\"SELECT * REPLACE (CAST(replace({3}, ',', '.') AS "
        "DOUBLE) AS {3}) FROM t\"",
        judges_[comma].example().value, judges_[comma].example().row, header_.names[point],
        quoted_if_needed(header_.names[comma]));
  }

  static std::string quoted_if_needed(const std::string& name) {
    const bool is_word = std::all_of(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    return is_word ? name : fmt::format("\\\"{}\\\"", name);
  }

  void infer_date_order() {
    if (result_.rules.date_order || result_.rules.is_settled) return;
    bool day_first = false;
    bool month_first = false;
    for (const ColumnJudge& judge : judges_) {
      if (!judge.is_written_date()) continue;
      day_first = day_first || judge.shows_day_first();
      month_first = month_first || judge.shows_month_first();
    }
    if (day_first != month_first)
      result_.rules.date_order = day_first ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
    if (day_first != month_first) return;
    for (std::size_t i = 0; i < judges_.size(); ++i) {
      if (!judges_[i].is_written_date() || !judges_[i].needs_date_order()) continue;
      result_.columns[i].doubt = fmt::format(
          "is '{}' in row {}, and the values do not show whether day or month comes first; give "
          "--date-order dmy (day first) or --date-order mdy (month first)",
          judges_[i].example().value, judges_[i].example().row);
    }
  }

  void infer_type(std::size_t i) {
    const ColumnJudge& judge = judges_[i];
    CsvColumn& column = result_.columns[i];
    const char decimal = result_.rules.decimal.value();
    if (!judge.has_values()) {
      column.type = judge.placeholders().empty() ? kNoValues : "VARCHAR";
      return;
    }
    if (!column.doubt.empty()) return;
    if (judge.is_number(decimal)) {
      column.type = judge.is_whole(decimal) ? "BIGINT" : "DOUBLE";
    } else if (judge.is_boolean()) {
      column.type = "BOOLEAN";
    } else if (judge.is_written_date()) {
      column.type = "TIMESTAMP";
      column.is_written_date = true;
      column.is_date_only = !judge.has_clock();
    } else {
      return;
    }
    if (column.example.empty() && !judge.is_boolean()) column.example = judge.example().value;
    column.placeholders = judge.placeholders();
    for (const std::string& sign : column.placeholders) {
      if (!result_.rules.is_missing(sign)) result_.rules.missing.push_back(sign);
    }
  }

  const CsvHeader& header_;
  std::vector<ColumnJudge> judges_;
  CsvInference result_;
};

}  // namespace

CsvInference infer_csv(Connection& connection, const std::string& relation, const CsvHeader& header,
                       const ReadingRules& given, Sample sample) {
  const std::string rows = rows_of(relation, sample);
  std::vector<ColumnJudge> judges(header.names.size(), ColumnJudge(given));
  ChunkView view(std::vector<ColumnKind>(header.names.size(), ColumnKind::kText));
  connection.stream(fmt::format("SELECT * FROM {}", rows), [&](duckdb_data_chunk chunk) {
    const TableChunk& texts = view.view(chunk);
    parallel_for(judges.size(), connection.num_threads(),
                 [&](std::size_t i) { judges[i].observe(texts.columns[i].texts); });
  });
  if (view.rows_seen() == 0) return {};

  Inference inference(header, given, std::move(judges));
  CsvInference& result = inference.result();
  std::vector<CsvColumn*> others;
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    if (inference.may_be_iso_time(i)) others.push_back(&result.columns[i]);
  }
  for (std::size_t first = 0; first < others.size(); first += kColumnsAtOnce) {
    find_timestamps(
        connection, rows,
        std::span(others).subspan(first, std::min(kColumnsAtOnce, others.size() - first)));
  }
  return result;
}

}  // namespace otss::internal::duck
