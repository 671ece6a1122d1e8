// A RawLog is a log as it was read, for `otss check`. It may contain values that read_log refuses.
// No value is encoded, standardised or dropped.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "data/log/log_layout.hpp"
#include "data/log/text_codes.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

struct RawColumn {
  std::string name;
  bool is_text = false;
  std::vector<double> values;  // the value of each row; a missing value is NaN, a text is its code
  TextCodes codes;             // the text of each code

  bool is_missing(std::size_t row) const { return std::isnan(values[row]); }
  std::string shown(std::size_t row) const;  // returns the value of a row as a user would write it
  void append(const ColumnChunk& chunk);
};

struct RawLog {
  LogLayout layout;
  std::size_t num_rows = 0;
  std::vector<RawColumn> columns;  // the columns in the order of layout.requests
  RawColumn context_ids;  // the context id of each row; empty if no context id was requested
  std::vector<std::string> notes;  // see LogPlan::notes

  std::span<const RawColumn> contexts() const {
    return std::span(columns).first(layout.num_contexts());
  }
  std::span<const RawColumn> factors() const {
    return std::span(columns).subspan(layout.num_contexts(), layout.roles.factors.size());
  }
  const RawColumn& outcome() const { return columns[layout.outcome]; }
  double weight(std::size_t row) const {
    return layout.weight ? columns[*layout.weight].values[row] : 1.0;
  }
};

// Reads the log. As in read_log, it is an Error if a role names an unknown column or if the table
// cannot be read. If the table has a column with the name `context_id`, this column is read too,
// and `--context all` does not make it a context.
RawLog read_raw_log(TableReader& reader, const Roles& roles, const std::string& context_id = "");

}  // namespace otss::internal
