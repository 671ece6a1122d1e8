// This header infers the types of CSV columns from their values. It also infers how the numbers and
// dates of the file are written.
#pragma once

#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

enum class Sample { kFirstRows, kAllRows };

// The "type" of a column whose values are all missing.
inline constexpr const char* kNoValues = "no values";

struct CsvColumn {
  std::string name;
  // The SQL type that fits all values (BIGINT, DOUBLE, BOOLEAN, TIMESTAMP or VARCHAR), or
  // kNoValues. A number with a leading zero ("007") is a code, so its column is VARCHAR.
  std::string type = "VARCHAR";
  // True if the values are dates or times that are not in ISO form, so that date_text_sql is needed
  // to read them.
  bool is_written_date = false;
  bool is_date_only = false;  // for type TIMESTAMP: true if no value has a time of day
  // An example of a value that the user may have meant differently: a value that is not a plain
  // number or an ISO date, or a number such as 20.000. Empty if there is no such value, and for a
  // column of texts.
  std::string example = {};
  std::vector<std::string> placeholders = {};  // signs such as "?" that are read as missing
  // The reason why the column is read as text although its values may be numbers or dates, and the
  // option that decides. Empty if there is no doubt.
  std::string doubt = {};
};

struct CsvInference {
  std::vector<CsvColumn> columns = {};  // empty if the relation has no rows
  // The given rules, completed by what the values show: the decimal sign, the order of day and
  // month, and the placeholders of number columns as words for a missing number.
  ReadingRules rules;
};

// Infers the types of the columns. The columns of `relation` must all be VARCHAR. A rule that is
// set in `given` is not inferred. The functions of cell_functions.hpp must be registered.
CsvInference infer_csv(Connection& connection, const std::string& relation, const CsvHeader& header,
                       const ReadingRules& given, Sample sample);

}  // namespace otss::internal::duck
