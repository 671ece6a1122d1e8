// A log as it was read, for `otss check`: it may contain values that read_log refuses. Nothing is
// encoded, standardised or dropped.
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

namespace otss {

struct RawColumn {
  std::string name;
  bool is_text = false;
  std::vector<double> values;  // NaN if missing; a text is given as its code
  TextCodes codes;             // the text of each code

  bool is_missing(std::size_t row) const { return std::isnan(values[row]); }
  std::string shown(std::size_t row) const;  // the value as a user would write it
  void append(const ColumnChunk& chunk);
};

struct RawLog {
  LogLayout layout;
  std::size_t num_rows = 0;
  std::vector<RawColumn> columns;  // in the order of layout.requests
  RawColumn context_ids;           // the context id of each row; empty if it was not requested
  std::vector<std::string> notes;  // how values were understood, as LogPlan::notes

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

// Reads the log. As in read_log, a role with an unknown column and a table that cannot be read are
// an Error. The column `context_id` is read if the table has it; `--context all` does not make it a
// context.
RawLog read_raw_log(TableReader& reader, const Roles& roles, const std::string& context_id = "");

}  // namespace otss
